"""From predictions to scores, tables and the answer, without refitting."""
