"""Random Fourier features against the exact kernel, tightly enough that a wrong constant fails."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, laplacian_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from onkel import FOGDClassifier
from onkel.compiled.draws import cauchy_column, normal_column
from onkel.kernels import Laplacian, Linear, Matern32, RationalQuadratic, Rbf, Sigmoid
from onkel.maps.fourier import Frequencies, sines_and_cosines_of
from onkel.transformers import RandomFourier

GAMMA = 0.3


def root(x, y, gamma):
    return np.sqrt(2 * gamma) * euclidean_distances(x, y)


EXACT = {
    "rbf": rbf_kernel,
    "laplacian": laplacian_kernel,
    "matern32": lambda x, y=None, gamma=1: (
        (1 + 3**0.5 * root(x, y, gamma)) * np.exp(-(3**0.5) * root(x, y, gamma))
    ),
    "matern52": lambda x, y=None, gamma=1: (
        (1 + 5**0.5 * root(x, y, gamma) + 5 / 3 * root(x, y, gamma) ** 2)
        * np.exp(-(5**0.5) * root(x, y, gamma))
    ),
    "rational_quadratic": lambda x, y=None, gamma=1: 1 / (1 + root(x, y, gamma) ** 2 / 2),
}
NORM = dict.fromkeys(EXACT, 2) | {"laplacian": 1}


def pairs_at_unit_exponent(kernel, rng, count=60, d=8):
    """Pairs whose kernel value is near exp(-1), where it depends most on gamma."""
    x, step = rng.standard_normal((2, count, d))
    step /= np.linalg.norm(step, ord=NORM[kernel], axis=1, keepdims=True)
    reach = GAMMA ** (-1 / NORM[kernel]) * rng.uniform(0.8, 1.2, (count, 1))
    return x, x + reach * step


def mean_error_in_standard_errors(z, z_other, exact):
    """The mean over all pairs of (z . z' - exact), in units of its own standard error.

    The features of different pairs share their frequencies, the frequencies are independent: the
    mean over pairs is taken first, for every frequency alone.
    """
    count, width = z.shape
    n_components = width // 2
    products = (z * z_other).reshape(count, 2, n_components).sum(axis=1) * n_components
    errors = (products - exact[:, None]).mean(axis=0)
    return abs(errors.mean()) / (errors.std() / np.sqrt(n_components))


@pytest.mark.parametrize("kernel", EXACT)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_inner_products_are_the_kernel(kernel, seed):
    x, y = pairs_at_unit_exponent(kernel, np.random.default_rng(seed))
    exact = np.diagonal(EXACT[kernel](x, y, gamma=GAMMA))

    def deviation(gamma):
        map_ = RandomFourier(kernel=kernel, gamma=gamma, n_components=20_000, random_state=seed)
        return mean_error_in_standard_errors(map_.fit_transform(x), map_.transform(y), exact)

    assert deviation(GAMMA) < 5
    # The test would notice a gamma that is 5 % off; mixtures, which depend less on it, 10 %.
    off = 0.05 if kernel in ("rbf", "laplacian") else 0.1
    assert deviation((1 - off) * GAMMA) > 5
    assert deviation((1 + off) * GAMMA) > 5


@pytest.mark.parametrize("kernel", EXACT)
def test_the_whole_gram_matrix_is_near(kernel):
    X = np.random.default_rng(3).standard_normal((50, 4))
    map_ = RandomFourier(kernel=kernel, gamma=GAMMA, n_components=20_000, random_state=3)
    z = map_.fit_transform(X)
    error = np.abs(z @ z.T - EXACT[kernel](X, gamma=GAMMA))
    # |cos| <= 1 with variance at most 1/2: 6 standard errors over 1,225 pairs.
    assert error.max() < 6 / np.sqrt(2 * 20_000)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", EXACT)
def test_rows_have_length_one_and_hold_sines_then_cosines(kernel, dtype):
    X = np.random.default_rng(4).standard_normal((20, 3)).astype(dtype)
    map_ = RandomFourier(kernel=kernel, gamma=GAMMA, n_components=50, random_state=4)
    z = map_.fit_transform(X)
    assert z.dtype == dtype and z.shape == (20, 100)
    tolerance = 20 * np.finfo(dtype).eps
    np.testing.assert_allclose(np.linalg.norm(z, axis=1), 1, rtol=tolerance)
    angles = X @ map_.frequencies_.matrix()
    slack = 4 * np.finfo(dtype).eps * np.abs(angles).max()
    np.testing.assert_allclose(z[:, :50], np.sin(angles) / np.sqrt(50), rtol=0, atol=slack)
    np.testing.assert_allclose(z[:, 50:], np.cos(angles) / np.sqrt(50), rtol=0, atol=slack)


def test_sines_and_cosines():
    angles = np.random.default_rng(5).uniform(-9, 9, (5, 33))
    block = np.full((5, 66), np.nan)
    sines_and_cosines_of(angles, block)
    expected = np.hstack([np.sin(angles), np.cos(angles)]) / np.sqrt(33)
    np.testing.assert_allclose(block, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "kernel, fill, scale",
    [
        (Rbf(GAMMA), normal_column, np.sqrt(2 * GAMMA)),
        (Laplacian(GAMMA), cauchy_column, GAMMA),
    ],
)
def test_frequencies_are_the_keyed_columns(kernel, fill, scale):
    pool = Frequencies(kernel, 11, seed=77, n_features=6).matrix()
    column = np.empty(11)
    for feature in range(6):
        fill(77, feature, column)
        np.testing.assert_allclose(pool[feature], scale * column, rtol=1e-15)


@pytest.mark.parametrize("orthogonal", [False, True])
@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-5), (np.float64, 1e-13)])
def test_dense_and_sparse_input_agree(dtype, tolerance, orthogonal):
    X = sp.random(40, 30, density=0.2, format="csr", dtype=dtype, random_state=6)
    map_ = RandomFourier(n_components=64, orthogonal=orthogonal, random_state=6)
    sparse = clone(map_).fit(X)
    dense = clone(map_).fit(X.toarray())
    assert sparse.gamma_ == pytest.approx(dense.gamma_, rel=1e-6)
    expected = dense.transform(X.toarray())
    assert expected.dtype == dtype
    for fitted in (sparse, dense):
        for data in (X, X.toarray(), X.tocsc()):
            np.testing.assert_allclose(fitted.transform(data), expected, rtol=0, atol=tolerance)


def test_a_feature_that_comes_late_gets_the_same_frequencies():
    early = Frequencies(Rbf(GAMMA), 9, seed=5, n_features=100)
    late = Frequencies(Rbf(GAMMA), 9, seed=5, n_features=100)
    early.ensure([3, 50, 99])
    for features in ([99], [0, 1, 2, 7, 7], [50], [64, 3, 12]):
        late.ensure(features)
    for feature in (3, 50, 99):
        expected = early.pool[early.rows[feature]]
        np.testing.assert_array_equal(late.pool[late.rows[feature]], expected)
        np.testing.assert_array_equal(late.matrix()[feature], expected)


def test_the_transform_does_not_depend_on_what_fit_saw():
    X = sp.random(60, 500, density=0.02, format="csr", random_state=7)
    map_ = RandomFourier(gamma=GAMMA, n_components=16, random_state=7)
    part, whole = clone(map_).fit(X[:5]), clone(map_).fit(X)
    assert part.frequencies_.size < whole.frequencies_.size
    np.testing.assert_allclose(part.transform(X), whole.transform(X), rtol=0, atol=1e-14)


def test_ensure_returns_the_rows_and_draws_each_feature_once():
    frequencies = Frequencies(Laplacian(GAMMA), 4, seed=1, n_features=10)
    rows = frequencies.ensure([7, 2, 7, 2])
    assert frequencies.size == 2
    np.testing.assert_array_equal(rows, frequencies.rows[[7, 2, 7, 2]])
    assert sorted(set(rows.tolist())) == [0, 1]
    assert (np.delete(frequencies.rows, [2, 7]) == -1).all()
    assert frequencies.ensure(np.array([], dtype=np.int64)).size == 0


def test_a_million_features_cost_only_those_that_occur():
    rng = np.random.default_rng(8)
    columns = rng.integers(0, 10**6, 300)
    X = sp.csr_matrix((rng.standard_normal(300), (np.arange(300) % 10, columns)), (10, 10**6))
    map_ = RandomFourier(gamma=0.01, n_components=32, random_state=8)
    z = map_.fit_transform(X)
    known = np.unique(columns)
    assert map_.frequencies_.size == known.size
    assert map_.frequencies_.pool.shape[0] <= 2 * known.size
    pool = map_.frequencies_.pool[map_.frequencies_.rows[known]]
    angles = X[:, known].toarray() @ pool
    np.testing.assert_allclose(z[:, :32], np.sin(angles) / np.sqrt(32), rtol=0, atol=1e-14)


def test_seeds_matter_and_repeat():
    X = np.random.default_rng(9).standard_normal((4, 3))
    first, same, other = (
        RandomFourier(n_components=8, random_state=seed).fit_transform(X) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, same)
    assert np.abs(first - other).max() > 0.1
    free = [RandomFourier(n_components=8).fit(X).seed_ for _ in range(5)]
    assert len(set(free)) > 1
    expected = np.random.RandomState(1).randint(0, 2**31 - 1)
    assert RandomFourier(random_state=1).fit(X).seed_ == expected


def orthogonal_frequencies(seed, d, n_components, orthogonal=True):
    return Frequencies(Rbf(0.5), n_components, seed, d, orthogonal=orthogonal).matrix()


def test_orthogonal_blocks_are_orthogonal():
    u = orthogonal_frequencies(0, d=12, n_components=30)
    for start in (0, 12, 24):
        gram = u[:, start : start + 12].T @ u[:, start : start + 12]
        np.testing.assert_allclose(gram - np.diag(np.diagonal(gram)), 0, atol=1e-12)
    between = u[:, :12].T @ u[:, 12:24]
    assert np.abs(between).max() > 1


def test_orthogonal_frequencies_are_marginally_normal():
    # gamma = 1/2: standard normal. The first and the last column of a block, one draw a seed.
    blocks = np.array([orthogonal_frequencies(seed, d=6, n_components=6) for seed in range(1500)])
    for column in (0, 5):
        squared_lengths = (blocks[:, :, column] ** 2).sum(axis=1)
        assert stats.kstest(squared_lengths, stats.chi2(6).cdf).pvalue > 1e-3
        for coordinate in range(6):
            assert stats.kstest(blocks[:, coordinate, column], "norm").pvalue > 1e-3


def test_orthogonal_features_are_unbiased_with_a_smaller_error():
    rng = np.random.default_rng(10)
    direction = rng.standard_normal((1, 10))
    steps = direction / np.linalg.norm(direction) * np.sqrt(2.0)
    exact = np.exp(-0.5 * 2.0)
    errors = {
        orthogonal: np.array(
            [
                np.cos(steps @ orthogonal_frequencies(seed, 10, 20, orthogonal)).mean() - exact
                for seed in range(1500)
            ]
        )
        for orthogonal in (True, False)
    }
    for error in errors.values():
        standard_error = error.std() / np.sqrt(error.size)
        assert abs(error.mean()) < 4 * standard_error
        # A scale of the frequencies that is 5 % off (gamma 10 %) would be noticed.
        assert exact - np.exp(-0.5 * 2.0 * 1.05**2) > 6 * standard_error
    assert errors[True].var() < 0.8 * errors[False].var()


def test_orthogonal_is_refused_where_it_does_not_exist():
    X = np.ones((2, 3))
    with pytest.raises(ValueError, match="orthogonal=True needs a kernel of Euclidean distance"):
        RandomFourier(kernel="laplacian", orthogonal=True).fit(X)
    wide = sp.csr_matrix((2, 5000))
    with pytest.raises(ValueError, match=r"orthogonal=True .* 4096 .* 5000: set orthogonal=False"):
        RandomFourier(orthogonal=True).fit(wide)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kernel": "linear"},
        {"gamma": 0.0},
        {"gamma": "auto"},
        {"n_components": 0},
        {"n_components": 2.5},
        {"orthogonal": "yes"},
    ],
)
def test_wrong_parameters_are_named(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        RandomFourier(**wrong).fit(np.ones((2, 2)))


def test_gamma_scale_is_that_of_the_data():
    X = 3 + 2 * np.random.default_rng(11).standard_normal((200, 5))
    assert RandomFourier().fit(X).gamma_ == pytest.approx(1 / (5 * X.var()))
    assert RandomFourier().fit(sp.csr_matrix(X)).gamma_ == pytest.approx(1 / (5 * X.var()))
    assert RandomFourier().fit(np.ones((4, 5))).gamma_ == 0.2
    far = (X + 1000).astype(np.float32)
    expected = 1 / (5 * far.var(dtype=np.float64))
    assert RandomFourier().fit(sp.csr_matrix(far)).gamma_ == pytest.approx(expected)


def test_a_copy_by_pickle_maps_alike_and_goes_on_alike():
    X = sp.random(20, 200, density=0.05, format="csr", random_state=12)
    map_ = RandomFourier(gamma=GAMMA, n_components=8, random_state=12).fit(X[:10])
    copy = pickle.loads(pickle.dumps(map_))
    np.testing.assert_array_equal(copy.transform(X), map_.transform(X))


def test_output_has_names():
    names = RandomFourier(n_components=3).fit(np.eye(2)).get_feature_names_out()
    assert names.tolist() == [f"randomfourier{i}" for i in range(6)]


@parametrize_with_checks([RandomFourier(n_components=8), RandomFourier(orthogonal=True)])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kernel", [Matern32(GAMMA), RationalQuadratic(GAMMA, 2.0)])
def test_mixed_frequencies_belong_to_seed_component_and_feature(kernel):
    """A longer column begins with the shorter one, and a feature met late has the same draws."""
    few, many = (Frequencies(kernel, n, seed=3, n_features=20) for n in (7, 12))
    late = Frequencies(kernel, 12, seed=3, n_features=20)
    late.ensure([19, 4])
    np.testing.assert_array_equal(many.matrix()[:, :7], few.matrix())
    np.testing.assert_array_equal(late.matrix(), many.matrix())
    assert (
        np.abs(Frequencies(kernel, 12, seed=4, n_features=20).matrix() - many.matrix()).max() > 0.1
    )


def test_the_rates_of_a_component_are_shared_by_its_features():
    frequencies = Frequencies(Matern32(0.5), 4000, seed=1, n_features=3).matrix()
    normals = Frequencies(Rbf(0.5), 4000, seed=1, n_features=3).matrix()
    ratios = frequencies / normals
    np.testing.assert_allclose(ratios, np.broadcast_to(ratios[0], ratios.shape), rtol=1e-12)
    # 3 over a chi-squared number of 3 degrees of freedom
    assert stats.kstest(3 / ratios[0] ** 2, stats.chi2(3).cdf).pvalue > 1e-3


@pytest.mark.parametrize("kernel", ["matern52", "rational_quadratic"])
def test_orthogonal_frequencies_of_mixtures(kernel):
    X = np.random.default_rng(3).standard_normal((50, 6))
    map_ = RandomFourier(
        kernel=kernel, gamma=GAMMA, n_components=20_000, orthogonal=True, random_state=3
    )
    z = map_.fit_transform(X)
    error = np.abs(z @ z.T - EXACT[kernel](X, gamma=GAMMA))
    assert error.max() < 6 / np.sqrt(2 * 20_000)


@pytest.mark.parametrize("kernel", [Linear(), Sigmoid(1.0, 0.0)])
def test_a_kernel_without_a_spectrum_is_refused(kernel):
    with pytest.raises(ValueError, match="frequencies that can be drawn"):
        RandomFourier(kernel=kernel).fit(np.eye(3))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_components", [256, 300, 700])
def test_a_learner_has_the_same_features_however_many_tiles(n_components, form):
    """A learner evaluates frequencies in tiles of 256, a transformer all at once."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    model = FOGDClassifier(n_components=n_components, gamma=GAMMA, random_state=0)
    machine = model.fit(form(X), X[:, 0] > 0)._machine
    features = machine.frequencies.features(form(X))
    expected = features @ machine.output_coef().T + machine.output_intercept()
    np.testing.assert_allclose(model.decision_function(form(X)), expected[:, 0], atol=1e-12)
