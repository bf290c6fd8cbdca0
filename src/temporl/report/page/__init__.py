"""The report page: one HTML file about everything in a results folder."""

from temporl.report.page.page import page_text, write_page

__all__ = ["page_text", "write_page"]
