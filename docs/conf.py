"""The documentation site: `make docs` builds it, offline, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import api_pages  # noqa: E402

import onkel  # noqa: E402

api_pages.write_pages()  # before Sphinx looks for sources

project = "onkel"
author = "The onkel developers"
copyright = author
release = version = onkel.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "api_pages",
]
exclude_patterns = ["_build", "_templates", "gallery/*.ipynb", "gallery/*.py", "gallery/*.json"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
nitpicky = True
#: Names of other packages, and of rooms that are nobody's business: nothing to link to, offline.
nitpick_ignore_regex = [
    ("py:.*", r"(sklearn|numpy|scipy|pandas|matplotlib|river|typing|collections)\..*"),
    (
        "py:.*",
        r"onkel\.(compiled|engine|estimators|model|coresets|calibration|learners|maps)(\..*)?",
    ),
]

# -- words ------------------------------------------------------------------------------------------
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold functions

# -- names ------------------------------------------------------------------------------------------
autosummary_generate = True
autodoc_typehints = "none"
autodoc_inherit_docstrings = True
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# -- pictures ---------------------------------------------------------------------------------------
sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_.*\.py",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 0,
    "write_computation_times": False,
    "show_signature": False,
    "plot_gallery": "True",
}

# -- the look ---------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "onkel"
html_static_path = ["_static"]
html_css_files = ["onkel.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
#: Pages that stand alone.
ALONE = ("start", "choosing", "scaling", "inside", "security", "news", "reproduction/README")
html_sidebars = {page: [] for page in ALONE}
