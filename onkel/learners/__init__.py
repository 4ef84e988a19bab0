"""Named algorithms: one file a family, each a docstring, flat parameters and a composition of parts."""

from onkel.learners.avm import AVMClassifier, AVMRegressor
from onkel.learners.bsgd import BSGDClassifier, BSGDRegressor, NBSGDClassifier, NBSGDRegressor
from onkel.learners.composed import ComposedClassifier, ComposedRegressor
from onkel.learners.csvrg import CSVRGClassifier
from onkel.learners.fogd import FOGDClassifier, FOGDRegressor
from onkel.learners.llsvm import LLSVMClassifier
from onkel.learners.nogd import NOGDClassifier, NOGDRegressor
from onkel.learners.online_gradient import (
    BOGDClassifier,
    BOGDRegressor,
    NORMAClassifier,
    NORMARegressor,
    OGDClassifier,
    OGDRegressor,
    OSKLClassifier,
)
from onkel.learners.passive_aggressive import BPASClassifier, PAClassifier, PARegressor
from onkel.learners.perceptron import (
    ForgetronClassifier,
    ForgetronRegressor,
    KernelPerceptronClassifier,
    KernelPerceptronRegressor,
    ProjectronClassifier,
    ProjectronPPClassifier,
    ProjectronRegressor,
    RBPClassifier,
    RBPRegressor,
)
from onkel.learners.sgd import KernelSGDClassifier, KernelSGDRegressor
from onkel.learners.spa import SPAClassifier, SPAOneClass, SPARegressor

__all__ = [
    "AVMClassifier",
    "AVMRegressor",
    "BOGDClassifier",
    "BOGDRegressor",
    "BPASClassifier",
    "BSGDClassifier",
    "BSGDRegressor",
    "CSVRGClassifier",
    "ComposedClassifier",
    "ComposedRegressor",
    "FOGDClassifier",
    "FOGDRegressor",
    "ForgetronClassifier",
    "ForgetronRegressor",
    "KernelPerceptronClassifier",
    "KernelPerceptronRegressor",
    "KernelSGDClassifier",
    "KernelSGDRegressor",
    "LLSVMClassifier",
    "NBSGDClassifier",
    "NBSGDRegressor",
    "NOGDClassifier",
    "NOGDRegressor",
    "NORMAClassifier",
    "NORMARegressor",
    "OGDClassifier",
    "OGDRegressor",
    "OSKLClassifier",
    "PAClassifier",
    "PARegressor",
    "ProjectronClassifier",
    "ProjectronPPClassifier",
    "ProjectronRegressor",
    "RBPClassifier",
    "RBPRegressor",
    "SPAClassifier",
    "SPAOneClass",
    "SPARegressor",
]
