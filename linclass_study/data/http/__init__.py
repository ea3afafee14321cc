"""Downloads: one file over HTTP, resumed and retried."""
