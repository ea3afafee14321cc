"""Two classes and a hyperplane between them: found, or proved impossible."""
