"""Networks as plain tuples of arrays, applied to whole batches.

Start with `layers.py` (dense layers) and `convolutions.py` (`torso`: the hidden layers for flat and
image observations). `skip_networks.py` has the paper's three architectures, `actor_critic.py` the
networks for continuous actions, `correlation.py` the convolution itself and its gradient.

Nothing here but `correlate` asks whether an array is NumPy's or JAX's: training traces these
functions, and a saved policy calls the very same ones on NumPy arrays.
"""
