"""Tables with names and levels, from rows as users have them; words of texts."""
