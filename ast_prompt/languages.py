"""The languages: one row each.

To add one: a row here and, for what the cursor stands in, a folder in `queries/`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ast_prompt.syntax import NO_SYNTAX, SYNTAX, Syntax

HASH = ("#", "")
SLASHES = ("//", "")
DASHES = ("--", "")
SEMICOLONS = (";;", "")
PERCENT = ("%", "")
STARS = ("/*", "*/")
ANGLES = ("<!--", "-->")
HYPHENED = frozenset({"css", "scss", "less", "html", "lisp", "emacs-lisp", "clojure", "scheme"})
"""Languages whose names hold hyphens."""
WORD = re.compile(r"\w*\Z")
HYPHENED_WORD = re.compile(r"[\w-]*\Z")


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language without its grammar."""

    name: str
    """The protocol's languageId."""
    aliases: tuple[str, ...] = ()
    """Other languageIds and names that editors use, in lower case."""
    suffixes: tuple[str, ...] = ()
    """How its files end, in lower case, with the dot."""
    files: tuple[str, ...] = ()
    """Its other files' names, in lower case; one that ends with a dot stands for all that begin with it."""
    comment: tuple[str, str] = ("", "")
    """What begins a comment and what ends it: "" when the line does; both "" where the language has none."""
    blocks: Literal["indent", "braces", "words", "none"] = "none"
    """How a block ends: by its indent, at a closing bracket, at a word like `end` or `fi`; markup has none."""
    queries: str = ""
    """The folder in `queries/`; "" for a language without queries of its own."""
    wheel: str = ""
    """The grammar's own package, as "module:function"; "" where there is none."""
    bundled: str = ""
    """The grammar's name in tree-sitter-languages."""
    packed: str = ""
    """The grammar's name in tree-sitter-language-pack."""

    @property
    def variable_is_typed(self) -> bool:
        """Whether a variable's type stands behind a colon."""
        return self.syntax.variable == "colon"

    @property
    def syntax(self) -> Syntax:
        return SYNTAX.get(self.queries, NO_SYNTAX)

    @property
    def word(self) -> re.Pattern[str]:
        """Finds what is typed of a word at a text's end; may find nothing of it."""
        return HYPHENED_WORD if self.name in HYPHENED else WORD


OFFICIAL = (
    Language(
        "python", ("py", "python3", "pyi"), (".py", ".pyi", ".pyw"), ("sconstruct", "wscript"), HASH, "indent",
        "python", "tree_sitter_python:language", "python", "python",
    ),
    Language(
        "javascript", ("js", "mjs", "cjs", "node"), (".js", ".mjs", ".cjs"), ("jakefile",), SLASHES, "braces",
        "javascript", "tree_sitter_javascript:language", "javascript", "javascript",
    ),
    Language(
        "javascriptreact", ("jsx", "javascript.jsx"), (".jsx",), (), SLASHES, "braces",
        "javascript", "tree_sitter_javascript:language", "javascript", "javascript",
    ),
    Language(
        "typescript", ("ts", "mts", "cts"), (".ts", ".mts", ".cts"), (), SLASHES, "braces",
        "typescript", "tree_sitter_typescript:language_typescript", "typescript", "typescript",
    ),
    Language(
        "typescriptreact", ("tsx", "typescript.tsx"), (".tsx",), (), SLASHES, "braces",
        "tsx", "tree_sitter_typescript:language_tsx", "tsx", "tsx",
    ),
    Language("go", ("golang",), (".go",), (), SLASHES, "braces", "go", "tree_sitter_go:language", "go", "go"),
    Language("rust", ("rs",), (".rs",), (), SLASHES, "braces", "rust", "tree_sitter_rust:language", "rust", "rust"),
    Language("java", (), (".java",), (), SLASHES, "braces", "java", "tree_sitter_java:language", "java", "java"),
    Language("c", (), (".c", ".h"), (), SLASHES, "braces", "c", "tree_sitter_c:language", "c", "c"),
    Language(
        "cpp", ("c++", "cc", "cxx", "hpp", "cuda-cpp", "arduino"),
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".ixx", ".cppm", ".ino"),
        (), SLASHES, "braces", "cpp", "tree_sitter_cpp:language", "cpp", "cpp",
    ),
    Language(
        "csharp", ("cs", "c#", "c_sharp", "c-sharp"), (".cs", ".csx"), (), SLASHES, "braces",
        "csharp", "tree_sitter_c_sharp:language", "c_sharp", "csharp",
    ),
    Language(
        "ruby", ("rb", "rails"), (".rb", ".rake", ".gemspec", ".ru", ".podspec"),
        ("gemfile", "rakefile", "vagrantfile", "podfile", "guardfile", "brewfile", "fastfile"), HASH, "words",
        "ruby", "tree_sitter_ruby:language", "ruby", "ruby",
    ),
    Language(
        "php", (), (".php", ".phtml", ".php5"), (), SLASHES, "braces",
        "php", "tree_sitter_php:language_php", "php", "php",
    ),
    Language(
        "shellscript", ("sh", "bash", "zsh", "ksh", "shell", "dotenv"), (".sh", ".bash", ".zsh", ".ksh", ".bats"),
        (".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".envrc", "pkgbuild"),
        HASH, "words", "bash", "tree_sitter_bash:language", "bash", "bash",
    ),
    Language(
        "html", ("htm", "xhtml"), (".html", ".htm", ".xhtml"), (), ANGLES, "none",
        "html", "tree_sitter_html:language", "html", "html",
    ),
    Language("css", (), (".css",), (), STARS, "braces", "css", "tree_sitter_css:language", "css", "css"),
    Language(
        "json", (), (".json", ".webmanifest", ".geojson", ".ipynb"), (), ("", ""), "none",
        "json", "tree_sitter_json:language", "json", "json",
    ),
    Language(
        "jsonc", ("json with comments", "json5"), (".jsonc", ".json5", ".code-workspace"),
        ("tsconfig.json", "jsconfig.json", ".babelrc", ".eslintrc"), SLASHES, "none",
        "json", "tree_sitter_json:language", "json", "json",
    ),
    Language(
        "yaml", ("yml", "dockercompose", "docker-compose", "github-actions-workflow"), (".yaml", ".yml"),
        (".clang-format", ".clang-tidy"), HASH, "indent", "yaml", "tree_sitter_yaml:language", "yaml", "yaml",
    ),
    Language("lua", (), (".lua",), (), DASHES, "words", "lua", "tree_sitter_lua:language", "lua", "lua"),
    Language(
        "kotlin", ("kt", "kts"), (".kt", ".kts"), (), SLASHES, "braces",
        "kotlin", "tree_sitter_kotlin:language", "kotlin", "kotlin",
    ),
)  # fmt: skip
"""The languages with queries of their own; their grammars are dependencies."""


def _tail(
    name: str,
    endings: str,
    comment: tuple[str, str],
    blocks: Literal["indent", "braces", "words", "none"],
    bundled: str,
    packed: str,
    aliases: tuple[str, ...] = (),
) -> Language:
    """A row without queries; `endings` holds suffixes (with a dot) and file names, divided by spaces."""
    suffixes = tuple(ending for ending in endings.split() if ending.startswith("."))
    files = tuple(ending for ending in endings.split() if not ending.startswith("."))
    return Language(name, aliases, suffixes, files, comment, blocks, "", "", bundled, packed)


TAIL = (
    _tail("ada", ".adb .ads", DASHES, "words", "", "ada"),
    _tail("astro", ".astro", ANGLES, "none", "", "astro"),
    _tail("bat", ".bat .cmd", ("REM", ""), "none", "", "", ("batch", "cmd")),
    _tail("bibtex", ".bib", PERCENT, "braces", "", "bibtex", ("bib",)),
    _tail("bicep", ".bicep", SLASHES, "braces", "", "bicep"),
    _tail("clojure", ".clj .cljs .cljc .edn", SEMICOLONS, "none", "", "clojure", ("clj", "clojurescript")),
    _tail("cmake", ".cmake cmakelists.txt", HASH, "words", "", "cmake"),
    _tail("cuda", ".cu .cuh", SLASHES, "braces", "", "cuda"),
    _tail("d", ".d .di", SLASHES, "braces", "", "d", ("dlang",)),
    _tail("dart", ".dart", SLASHES, "braces", "", "dart"),
    _tail(
        "dockerfile", ".dockerfile dockerfile dockerfile. containerfile", HASH, "none", "dockerfile", "dockerfile",
        ("docker",),
    ),
    _tail("dot", ".dot .gv", SLASHES, "braces", "dot", "", ("graphviz",)),
    _tail("elixir", ".ex .exs", HASH, "words", "elixir", "elixir", ("ex",)),
    _tail("elm", ".elm", DASHES, "indent", "elm", "elm"),
    _tail("emacs-lisp", ".el", SEMICOLONS, "none", "elisp", "elisp", ("elisp", "emacslisp")),
    _tail("erb", ".erb .ejs", ("<%#", "%>"), "none", "embedded_template", "embeddedtemplate", ("eruby", "ejs")),
    _tail("erlang", ".erl .hrl rebar.config", PERCENT, "words", "erlang", "erlang"),
    _tail("fish", ".fish", HASH, "words", "", "fish"),
    _tail("fortran", ".f90 .f95 .f03 .f08 .f18", ("!", ""), "words", "fortran", "fortran", ("fortran-modern",)),
    _tail("fixed-form-fortran", ".f .for .f77", ("!", ""), "words", "fixed_form_fortran", "", ("fortran_fixed-form",)),
    _tail("fsharp", ".fs .fsx", SLASHES, "indent", "", "fsharp", ("f#", "fs")),
    _tail("gdscript", ".gd", HASH, "indent", "", "gdscript", ("gd",)),
    _tail("gleam", ".gleam", SLASHES, "braces", "", "gleam"),
    _tail("glsl", ".glsl .vert .frag .comp .geom", SLASHES, "braces", "", "glsl"),
    _tail("go.mod", "go.mod", SLASHES, "none", "gomod", "gomod", ("gomod",)),
    _tail("graphql", ".graphql .gql", HASH, "braces", "", "graphql"),
    _tail("groovy", ".groovy .gradle jenkinsfile", SLASHES, "braces", "", "groovy", ("gradle",)),
    _tail("hack", ".hack", SLASHES, "braces", "hack", "hack"),
    _tail("haskell", ".hs", DASHES, "indent", "haskell", "haskell", ("hs",)),
    _tail("haxe", ".hx", SLASHES, "braces", "", "haxe"),
    _tail("hcl", ".hcl .nomad", HASH, "braces", "hcl", "hcl"),
    _tail("hlsl", ".hlsl .fx", SLASHES, "braces", "", "hlsl"),
    _tail("ini", ".ini .cfg .editorconfig .gitconfig", (";", ""), "none", "", "ini", ("conf",)),
    _tail("julia", ".jl", HASH, "words", "julia", "julia", ("jl",)),
    _tail("just", ".just justfile", HASH, "indent", "", ""),
    _tail("latex", ".tex .sty .cls", PERCENT, "none", "", "latex", ("tex", "plaintex")),
    _tail("less", ".less", SLASHES, "braces", "", ""),
    _tail("lisp", ".lisp .lsp .cl .asd", SEMICOLONS, "none", "commonlisp", "commonlisp", ("commonlisp",)),
    _tail("makefile", ".mk makefile makefile. gnumakefile", HASH, "none", "make", "make", ("make",)),
    _tail("markdown", ".md .markdown .mdx", ANGLES, "none", "markdown", "markdown", ("md", "mdx")),
    _tail("matlab", "", PERCENT, "words", "", "matlab"),
    _tail("meson", "meson.build meson_options.txt", HASH, "words", "", "meson"),
    _tail("nim", ".nim .nims", HASH, "indent", "", "nim"),
    _tail("nix", ".nix", HASH, "braces", "", "nix"),
    _tail("objective-c", ".m", SLASHES, "braces", "objc", "objc", ("objc", "objectivec")),
    _tail("objective-cpp", ".mm", SLASHES, "braces", "objc", "objc", ("objcpp", "objectivecpp")),
    _tail("ocaml", ".ml", ("(*", "*)"), "none", "ocaml", "ocaml"),
    _tail("odin", ".odin", SLASHES, "braces", "", "odin"),
    _tail("pascal", ".pas .pp .dpr", SLASHES, "words", "", "pascal", ("delphi", "objectpascal")),
    _tail("perl", ".pl .pm .t", HASH, "braces", "perl", "perl", ("pl",)),
    _tail("powershell", ".ps1 .psm1 .psd1", HASH, "braces", "", "powershell", ("ps1", "pwsh")),
    _tail("prisma", ".prisma", SLASHES, "braces", "", "prisma"),
    _tail("properties", ".properties", HASH, "none", "", "properties", ("java-properties",)),
    _tail("proto", ".proto", SLASHES, "braces", "", "proto", ("proto3", "protobuf")),
    _tail("purescript", ".purs", DASHES, "indent", "", "purescript"),
    _tail("ql", ".ql .qll", SLASHES, "braces", "ql", "", ("codeql",)),
    _tail("r", ".r", HASH, "braces", "r", "r", ("rscript",)),
    _tail("racket", ".rkt", SEMICOLONS, "none", "", "racket"),
    _tail("restructuredtext", ".rst", ("..", ""), "indent", "rst", "rst", ("rst",)),
    _tail("scala", ".scala .sbt .sc", SLASHES, "braces", "scala", "scala"),
    _tail("scheme", ".scm .ss .sld", SEMICOLONS, "none", "", "scheme"),
    _tail("scss", ".scss", SLASHES, "braces", "", "scss"),
    _tail("solidity", ".sol", SLASHES, "braces", "", "solidity", ("sol",)),
    _tail("sql", ".sql .ddl .dml", DASHES, "words", "sql", "sql", ("mysql", "postgres", "plsql", "sqlite")),
    _tail("starlark", ".bzl .bazel .star", HASH, "indent", "", "starlark", ("bazel", "bzl")),
    _tail("svelte", ".svelte", ANGLES, "none", "", "svelte"),
    _tail("swift", ".swift", SLASHES, "braces", "", "swift"),
    _tail("systemverilog", ".v .vh .sv .svh", SLASHES, "words", "", "verilog", ("verilog",)),
    _tail("tcl", ".tcl", HASH, "braces", "", "tcl"),
    _tail("terraform", ".tf .tfvars", HASH, "braces", "hcl", "terraform", ("tf", "terraform-vars", "opentofu")),
    _tail("toml", ".toml cargo.lock poetry.lock uv.lock", HASH, "none", "toml", "toml"),
    _tail("typst", ".typ", SLASHES, "braces", "", "typst"),
    _tail("vhdl", ".vhd .vhdl", DASHES, "words", "", "vhdl"),
    _tail("vim", ".vim .vimrc vimrc", ('"', ""), "words", "", "vim", ("viml", "vimscript")),
    _tail("vue", ".vue", ANGLES, "none", "", "vue"),
    _tail("wgsl", ".wgsl", SLASHES, "braces", "", "wgsl"),
    _tail("xml", ".xml .xsd .xsl .xslt .svg .csproj .props .targets .plist", ANGLES, "none", "", "xml", ("xsl",)),
    _tail("zig", ".zig .zon", SLASHES, "braces", "", "zig"),
)  # fmt: skip
"""The languages that have a grammar in one of the collections, or none at all, and no queries."""
PLAINTEXT = Language("plaintext", ("text", "txt", "plain text"), (".txt", ".text", ".log"))
LANGUAGES = (*OFFICIAL, *TAIL, PLAINTEXT)
_BY_ID = {name: language for language in LANGUAGES for name in (language.name, *language.aliases)}
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_FILE = {file: language for language in LANGUAGES for file in language.files}


def language_of(language_id: str | None, path: str | None) -> Language:
    """The language that the editor names, else the one of the file's name, else plain text.

    `path` may be a file name, a path with either kind of slash, or a URI. Never raises.
    """
    named = _BY_ID.get((language_id or "").strip().lower(), PLAINTEXT)
    # "plaintext" is also what an editor says of a file that it doesn't know: then its name says more
    return named if named is not PLAINTEXT else _language_of_file(path or "")


def _language_of_file(path: str) -> Language:
    file = re.split(r"[\\/]", path)[-1].lower()
    if file in _BY_FILE:
        return _BY_FILE[file]
    for dot in (place for place, letter in enumerate(file) if letter == "."):  # the longest suffix first
        if file[dot:] in _BY_SUFFIX:
            return _BY_SUFFIX[file[dot:]]
    return _BY_FILE.get(file.partition(".")[0] + ".", PLAINTEXT)
