"""Penalties on the weights: one penalty, one file."""

PENALTIES = {
    "adaptive_lasso": "linclass.linear.penalties.adaptive_lasso.AdaptiveLasso",
    "elastic_net": "linclass.linear.penalties.elastic_net.ElasticNet",
    "fused_lasso": "linclass.linear.penalties.fused_lasso.FusedLasso",
    "group_lasso": "linclass.linear.penalties.group_lasso.GroupLasso",
    "l1": "linclass.linear.penalties.l1.L1",
    "l2": "linclass.linear.penalties.l2.L2",
    "unpenalized": "linclass.linear.penalties.unpenalized.Unpenalized",
}
