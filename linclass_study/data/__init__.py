"""From an entry of the catalogue to rows in canonical order, the same from every source."""
