"""From finished runs to tables and pictures."""

from temporl.report.reproduction import write_report
from temporl.report.tables import Row, markdown_table, table_rows

__all__ = ["Row", "markdown_table", "table_rows", "write_report"]
