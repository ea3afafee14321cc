# The public names for type checkers; written by docs/make_models.py.
from linclass import plotting as plotting
from linclass.base.majority_class import MajorityClass as MajorityClass
from linclass.bayes.bayesian_linear_regression import (
    BayesianLinearRegression as BayesianLinearRegression,
)
from linclass.bayes.bayesian_logistic_regression import (
    BayesianLogisticRegression as BayesianLogisticRegression,
)
from linclass.bayes.relevance_vector_machine import RelevanceVectorMachine as RelevanceVectorMachine
from linclass.bayes.relevance_vector_regressor import (
    RelevanceVectorRegressor as RelevanceVectorRegressor,
)
from linclass.discriminant.fisher_discriminant import FisherDiscriminant as FisherDiscriminant
from linclass.discriminant.flexible_discriminant_analysis import (
    FlexibleDiscriminantAnalysis as FlexibleDiscriminantAnalysis,
)
from linclass.discriminant.linear_discriminant_analysis import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from linclass.discriminant.mixture_discriminant_analysis import (
    MixtureDiscriminantAnalysis as MixtureDiscriminantAnalysis,
)
from linclass.discriminant.nearest_mean import NearestMean as NearestMean
from linclass.discriminant.nearest_shrunken_centroids import (
    NearestShrunkenCentroids as NearestShrunkenCentroids,
)
from linclass.discriminant.quadratic_discriminant_analysis import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from linclass.discriminant.reduced_rank_lda import ReducedRankLDA as ReducedRankLDA
from linclass.discriminant.regularized_discriminant_analysis import (
    RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis,
)
from linclass.evaluation.risk import decide as decide
from linclass.kernels.kernel_logistic_regression import (
    KernelLogisticRegression as KernelLogisticRegression,
)
from linclass.kernels.kernel_perceptron import KernelPerceptron as KernelPerceptron
from linclass.kernels.kernel_svm import KernelSVM as KernelSVM
from linclass.kernels.support_vector_regressor import (
    SupportVectorRegressor as SupportVectorRegressor,
)
from linclass.linear.as_sklearn import as_sklearn as as_sklearn
from linclass.linear.dantzig_selector import DantzigSelector as DantzigSelector
from linclass.linear.elastic_net import ElasticNet as ElasticNet
from linclass.linear.firth_logistic_regression import (
    FirthLogisticRegression as FirthLogisticRegression,
)
from linclass.linear.forward_stagewise import ForwardStagewise as ForwardStagewise
from linclass.linear.ho_kashyap import HoKashyap as HoKashyap
from linclass.linear.largest_margin import largest_margin as largest_margin
from linclass.linear.lasso import Lasso as Lasso
from linclass.linear.least_angle_regression import LeastAngleRegression as LeastAngleRegression
from linclass.linear.least_squares_classifier import (
    LeastSquaresClassifier as LeastSquaresClassifier,
)
from linclass.linear.linear_classifier import LinearClassifier as LinearClassifier
from linclass.linear.linear_regression import LinearRegression as LinearRegression
from linclass.linear.linear_svm import LinearSVM as LinearSVM
from linclass.linear.logistic_regression import LogisticRegression as LogisticRegression
from linclass.linear.objective.objective import strength_of_C as strength_of_C
from linclass.linear.ordinal_regression import OrdinalRegression as OrdinalRegression
from linclass.linear.partial_least_squares import PartialLeastSquares as PartialLeastSquares
from linclass.linear.probit_regression import ProbitRegression as ProbitRegression
from linclass.linear.ridge import Ridge as Ridge
from linclass.multiclass.error_correcting_output_codes import (
    ErrorCorrectingOutputCodes as ErrorCorrectingOutputCodes,
)
from linclass.multiclass.one_vs_one import OneVsOne as OneVsOne
from linclass.multiclass.one_vs_rest import OneVsRest as OneVsRest
from linclass.naive_bayes.bernoulli_nb import BernoulliNB as BernoulliNB
from linclass.naive_bayes.categorical_nb import CategoricalNB as CategoricalNB
from linclass.naive_bayes.exponential_family_nb import ExponentialFamilyNB as ExponentialFamilyNB
from linclass.naive_bayes.gaussian_nb import GaussianNB as GaussianNB
from linclass.naive_bayes.multinomial_nb import MultinomialNB as MultinomialNB
from linclass.naive_bayes.poisson_nb import PoissonNB as PoissonNB
from linclass.online.adaline import Adaline as Adaline
from linclass.online.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from linclass.online.balanced_winnow import BalancedWinnow as BalancedWinnow
from linclass.online.passive_aggressive import PassiveAggressive as PassiveAggressive
from linclass.online.perceptron import Perceptron as Perceptron
from linclass.online.relaxation import Relaxation as Relaxation
from linclass.online.second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
from linclass.online.voted_perceptron import VotedPerceptron as VotedPerceptron
from linclass.online.winnow import Winnow as Winnow
from linclass.separation.separability import separability as separability
from linclass.separation.zero_one_classifier import ZeroOneClassifier as ZeroOneClassifier
from linclass.tuning.calibrated import Calibrated as Calibrated
from linclass.tuning.paths import parameter_path as parameter_path
from linclass.tuning.tuned_classifier import TunedClassifier as TunedClassifier
from linclass.tuning.tuned_regressor import TunedRegressor as TunedRegressor

__version__: str
__all__: list[str]
