"""From finished runs to tables, figures, the HTML page and videos.

Start with `reproduction.py` (`write_report`), which writes everything about one experiment:
`cells.py` reads its runs, `statistics.py` has the means and intervals, `tables.py` the rows beside
the published values, `figures/` the pictures. `page/` is the HTML page of `temporl report`,
`recording/` the videos of `temporl watch`.
"""

from temporl.report.reproduction import write_report
from temporl.report.tables import Row, markdown_table, table_rows

__all__ = ["Row", "markdown_table", "table_rows", "write_report"]
