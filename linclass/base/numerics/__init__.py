"""Arrays, linear algebra, line searches and proximal operators, on which everything else builds."""
