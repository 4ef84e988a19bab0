"""Many configurations learn one stream side by side, and the best remain."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any, ClassVar

from sklearn.base import clone

from onkel.engine.machine import Shape
from onkel.estimators.classifier import OnlineClassifier
from onkel.estimators.documentation import fitted, of_type
from onkel.estimators.half_life import half_life_parameter
from onkel.estimators.online import FirstLook
from onkel.estimators.parameters import declared, parameter, validate_parameters
from onkel.estimators.regressor import OnlineRegressor
from onkel.losses import L2, Hinge
from onkel.parallel.limits import at_work
from onkel.race.candidates import Candidate, entries_of, is_own
from onkel.race.defaults import usual_classifiers, usual_regressors
from onkel.race.foreign import ForeignMachine
from onkel.race.learning import LearnsClasses, LearnsNumbers
from onkel.race.machine import Judge, RaceMachine, Terms
from onkel.race.results import curves_of, results_of
from onkel.race.rounds import ends_round

#: What a learner inside knows from the race that it takes part in.
KNOWN = (
    "classes_", "n_features_in_", "target_mean_", "target_scale_", "_appeared", "_alone",
    "_behind_encoder",
)  # fmt: skip
#: Rows that every candidate may learn before it can be dropped.
PATIENCE = 1024


@declared
class Race:
    """Parameters and behaviour of a race, for classifiers and regressors alike."""

    candidates: Any = parameter(
        default="auto",
        type_words='"auto", dict, list of dict or list of estimators',
        doc="""Who takes part. ``"auto"``: learners and widths that serve most data. A dict of lists of parameters of
        ``learner`` as in ``GridSearchCV``, or a list of such dicts: all combinations. A list of estimators, or of
        pairs (name, estimator): learners and pipelines of onkel, or anything else with ``partial_fit`` and
        ``decision_function`` or ``predict``; what is not a learner of onkel learns in blocks of 128 rows.""",
    )
    learner: Any = parameter(
        default=None,
        type_words="estimator or None",
        doc="Whose parameters ``candidates`` are, if these are dicts.",
    )
    alpha: float = parameter(
        default=0.05,
        above=0,
        below=1,
        doc=r"""Probability :math:`\alpha` that any candidate is ever dropped as behind that is as good as those that
        led meanwhile.""",
    )
    tolerance: float = parameter(
        default=0.003,
        at_least=0,
        below=1,
        doc=r"""A candidate also leaves when it is surely not better than the leader by this share of mistakes (of a
        regressor, of the largest loss that counts, 16 times the leader's mean). With 0 only those leave that are
        behind, and candidates that are alike all go on.""",
    )
    mix: Any = parameter(
        default="auto",
        one_of=("auto", True, False),
        doc="""Who answers: the leader (False), a mixture of those that race, weighted by their losses (True), or
        (``"auto"``) the mixture unless the leader alone lost less before each update lately, by two standard
        errors.""",
    )
    half_life: Any = half_life_parameter(auto=False)
    _can_start_over: ClassVar[bool] = False

    candidates_ = fitted("list of estimators", "The candidates, in the order of entry.")

    # -- who takes part ------------------------------------------------------------------------

    def _usual(self) -> list[Candidate]:
        """The candidates of "auto"."""
        raise NotImplementedError

    def _composed(self, look: FirstLook, shape: Shape) -> RaceMachine:
        race: Any = self
        entries = entries_of(race, self._usual)
        self._names = [entry.name for entry in entries]
        self._params = [entry.params for entry in entries]
        members, machines, lines = [], [], []
        for entry in entries:
            member, machine, line = self._entered(entry, look, shape)
            members.append(member)
            machines.append(machine)
            lines.append(line)
        self.candidates_ = members
        terms = Terms(self.alpha, self.tolerance, PATIENCE, self.mix, race._decay)
        return RaceMachine(machines, lines, Judge(race._task(), self._judged_by()), terms)

    def _judged_by(self) -> Any:
        """The loss that ``progress_`` tells."""
        raise NotImplementedError

    def _entered(self, entry: Candidate, look: FirstLook, shape: Shape) -> tuple[Any, Any, Any]:
        """The estimator that takes part, its machine, and who turns scores into what it says."""
        race: Any = self
        if not is_own(entry.estimator):
            return (
                clone(entry.estimator),
                ForeignMachine(entry.estimator, race._task(), shape),
                None,
            )
        member = clone(entry.estimator)
        state = {name: vars(race)[name] for name in KNOWN if name in vars(race)}
        if "target_mean_" in state:  # targets come in the units of the race
            state |= {"target_mean_": 0.0, "target_scale_": 1.0}
        vars(member).update(state)
        try:
            validate_parameters(member)
            kernel, gamma = member._kernel_and_gamma(look.X, look.targets, look.seed)
            member.gamma_ = gamma
            machine = member._composed(look._replace(kernel=kernel, gamma=gamma), shape)
        except (TypeError, ValueError) as error:
            raise type(error)(f"candidate {entry.name!r}: {error}") from error
        line = self._line_of(member, machine)
        for name in state:
            vars(member).pop(name)
        return member, machine, line

    def _line_of(self, member: Any, machine: Any) -> Any:
        """Who learns what the scores of a machine are worth; None where it says its scores."""
        return None

    def _after_pause(self, machine: Any) -> Any:
        race: Any = self
        number = race._machine.racing[race._machine.machines.index(machine)]
        return self.candidates_[number]._after_pause(machine)

    def _conclude(self, X: Any) -> None:
        """At the end of ``fit``: settle who leads, and let ridge regression choose its regularization once more."""
        race: RaceMachine = self._machine  # type: ignore[attr-defined]
        if not ends_round(race.t):  # else it is settled already
            with race.lock.writing:
                race.finish_round()
        with at_work(self.n_jobs, X.shape[0]):  # type: ignore[attr-defined]
            for machine in race.machines:
                if hasattr(machine, "choose_anew"):
                    machine.choose_anew()

    # -- what came of it -----------------------------------------------------------------------

    @property
    @of_type("dict")
    def best_params_(self) -> dict[str, Any]:
        """The parameters of the leader: those that the candidates differ in."""
        machine = self._fitted()  # type: ignore[attr-defined]
        return dict(self._told("_params")[machine.standings.leader])

    @property
    @of_type("estimator")
    def leader_(self) -> Any:
        """The leader, as an estimator of its own: a copy, which can go on alone."""
        race: Any = self
        machine = race._fitted()
        with machine.lock.reading:
            number = machine.standings.leader
            own = deepcopy(machine.leader)
            observer = copy(machine.observer)
        if isinstance(own, ForeignMachine):
            return own.estimator
        leader = copy(self._told("candidates_")[number])
        vars(leader).update({name: vars(race)[name] for name in KNOWN if name in vars(race)})
        own.observer = own.observer or observer
        own.class_weights = machine.class_weights
        leader._machine = own
        return leader

    @property
    @of_type("dict of lists")
    def results_(self) -> dict[str, list[Any]]:
        """The table of the race, an entry a candidate, the best first (``pandas.DataFrame`` shows it).

        ``rank``, ``candidate``, ``params``, ``status`` ("leader", "racing", "left"), ``rows`` learned, mean ``loss``
        before each update and ``recent_loss``, of which later rows count more (shares of mistakes, or squared
        residuals in units of the variance of the targets), ``share`` in the present answer, ``left_at`` (row) and
        ``reason``.
        """
        machine = self._fitted()  # type: ignore[attr-defined]
        return results_of(machine, self._told("_names"), self._told("_params"))

    @property
    @of_type("dict of arrays")
    def curves_(self) -> dict[str, Any]:
        """The race as curves, at up to 256 places.

        ``rows``, ``loss`` (places x candidates, NaN after one left), ``answer`` (what the race itself lost),
        ``leader``, and the names of the ``candidates``.
        """
        machine = self._fitted()  # type: ignore[attr-defined]
        return curves_of(machine, self._told("_names"))

    @property
    @of_type("int")
    def n_racing_(self) -> int:
        """How many candidates are still in the race."""
        return len(self._fitted().racing)  # type: ignore[attr-defined]

    @property
    @of_type("int")
    def n_support_(self) -> int:
        """Number of support vectors of the leader; of features, where it learns on an explicit map."""
        return self._fitted().n_support  # type: ignore[attr-defined]

    @property
    def support_vectors_(self) -> Any:
        raise self._ask_leader("support_vectors_")

    @property
    def dual_coef_(self) -> Any:
        raise self._ask_leader("dual_coef_")

    @property
    def intercept_(self) -> Any:
        raise self._ask_leader("intercept_")

    def _ask_leader(self, name: str) -> AttributeError:
        return AttributeError(
            f"{type(self).__name__} has no {name}: those who race may have; ask leader_.{name}."
        )

    def _told(self, name: str) -> Any:
        """An attribute of the race that answers: during the first look, of the provisional one."""
        race: Any = self
        return getattr(race._stand_in(name) or race, name)


@declared
class RaceClassifier(LearnsClasses, Race, OnlineClassifier):
    r"""A race of many configurations that learn one stream side by side: a tuned classifier in a single pass.

    Every candidate is judged by its mistakes before it learns a row. One that is clearly behind the leader drops out,
    by a test on paired losses that holds at any time: with M candidates, it leaves when the wealth of who bets
    against it,

    .. math:: W_t = \prod_{s \le t} \bigl(1 + \lambda_s (\ell_{i,s} - \ell_{L,s})\bigr), \qquad
              0 \le \lambda_s \le 1/2,

    reaches :math:`M / \alpha`, where :math:`\ell_i` and :math:`\ell_L` are mistakes of the candidate and of who
    led before the row, and the bet :math:`\lambda_s` is settled before it. What answers is the leader, or a
    mixture of the last few. Candidates that look at the same geometry share it: a block of rows is evaluated once
    for all of them.

    Notes
    -----
    ``kernel``, ``gamma`` and ``intercept`` are those of the candidates of "auto", whose widths are multiples of
    ``gamma``; a ``half_life`` goes to all candidates that have none. With a ``half_life`` candidates that dropped
    out come back, fresh, when the answers get worse (:class:`onkel.drift.Adwin` notices it). Any chunking gives
    the same race.

    With an ``executor`` a stretch of rows (the first 1024, then half as many as there were so far, 512 to 4096) is
    learned by teams of candidates that share something, and judged when all are back. Nothing changes before that:
    when a task fails, the race is as it was at the end of the last stretch. Fewer rows in a call, a single team, and
    a stretch on which a candidate like :class:`NOGDClassifier` finds its last landmark are learned here.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from onkel import FOGDClassifier
    >>> from onkel import RaceClassifier
    >>> X, y = make_moons(4000, noise=0.2, random_state=0)
    >>> grid = {"gamma": [0.01, 1.0, 100.0]}
    >>> race = RaceClassifier(candidates=grid, learner=FOGDClassifier(n_components=50), random_state=0).fit(X, y)
    >>> race.best_params_, race.results_["status"], bool(race.score(X, y) > 0.95)
    ({'gamma': 1.0}, ['leader', 'left', 'left'], True)

    References
    ----------
    Maron, Moore: Hoeffding races. NIPS 6, 1993.

    Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting. JRSS B 86, 2024.
    """

    def _usual(self) -> list[Candidate]:
        return usual_classifiers(self)

    def _judged_by(self) -> Any:
        return Hinge()


@declared
class RaceRegressor(LearnsNumbers, Race, OnlineRegressor):
    r"""A race of many configurations of regressors; see :class:`RaceClassifier`.

    Losses are squared residuals; for the bets they are in units of 16 times the leader's mean, cut off at 1.

    Examples
    --------
    >>> import numpy as np
    >>> from onkel import FOGDRegressor
    >>> from onkel import RaceRegressor
    >>> X = np.linspace(0, 6, 4000)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> grid = {"gamma": [0.01, 1.0, 100.0]}
    >>> race = RaceRegressor(candidates=grid, learner=FOGDRegressor(n_components=50), random_state=0).fit(X, y)
    >>> race.best_params_["gamma"] < 100, bool(race.score(X, y) > 0.95)
    (True, True)
    """

    def _usual(self) -> list[Candidate]:
        return usual_regressors(self)

    def _judged_by(self) -> Any:
        return L2()

    def _line_of(self, member: Any, machine: Any) -> Any:
        member._machine = machine
        observer = member._new_observer()
        del member._machine
        if not observer.moments.size:
            return None
        machine.observer = observer
        return copy(observer)
