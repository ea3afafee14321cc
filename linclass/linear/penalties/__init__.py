"""Penalties by name."""

PENALTIES = {
    "adaptive_lasso": "linclass.linear.penalties.entrywise.AdaptiveLasso",
    "elastic_net": "linclass.linear.penalties.entrywise.ElasticNet",
    "fused_lasso": "linclass.linear.penalties.fused_lasso.FusedLasso",
    "group_lasso": "linclass.linear.penalties.group_lasso.GroupLasso",
    "l1": "linclass.linear.penalties.entrywise.L1",
    "l2": "linclass.linear.penalties.entrywise.L2",
    "unpenalized": "linclass.linear.penalties.entrywise.Unpenalized",
}
