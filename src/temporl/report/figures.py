def draw_figures(experiment, results, rows, folder):
    return []
