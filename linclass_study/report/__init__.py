"""Figures with their numbers, and the page that shows them."""
