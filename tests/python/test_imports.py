"""Checks that the files of a crate do not import each other in circles.

A module and its submodules may import each other. All other imports have one direction, so a reader knows which file
to understand first. Imports are read from the text: `use` declarations, and paths that begin with `crate`, `self` or
`super`. Re-exports are followed to the file that defines the item. Test modules are left out.
"""

import pathlib
import re
import unittest

REPOSITORY = pathlib.Path(__file__).parents[2]
DEFINITION = re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(?:mut\s+)?(\w+)")
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.MULTILINE)
PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


def expanded(tree):
    """Returns the paths of a `use` tree: `a::{b, c}` is `a::b` and `a::c`."""
    tree = re.sub(r"\s+as\s+\w+$", "", tree.strip())
    match = re.fullmatch(r"(.*?)\{(.*)\}", tree, re.DOTALL)
    if not match:
        return [tree]
    prefix, inner = match.groups()
    parts, depth, part = [], 0, ""
    for character in inner + ",":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [prefix + path for part in parts if part for path in expanded(part)]


class Crate:
    """The modules of a crate, each with its definitions and imports."""

    def __init__(self, folder):
        self.texts = {}
        source = folder / "src"
        for file in source.rglob("*.rs"):
            if "tests" in file.relative_to(source).with_suffix("").parts:
                continue
            module = list(file.relative_to(source).with_suffix("").parts)
            if module[-1] in ("mod", "lib", "main"):
                module.pop()
            text = re.split(r"#\[cfg\(test\)\]\s*(?:#!?\[[^\]]*\]\s*)*mod tests \{", file.read_text())[0]
            self.texts[tuple(module)] = re.sub(r"//[^\n]*", "", text)
        self.definitions = {module: set(DEFINITION.findall(text)) for module, text in self.texts.items()}
        self.imports = {
            module: [path for tree in USE.findall(text) for path in expanded(re.sub(r"\s+", " ", tree))]
            for module, text in self.texts.items()
        }

    def module_of(self, module, path, depth=0):
        """Returns the module that defines what `path` names in `module`, or None if it is in another crate."""
        first, *rest = path.split("::")
        if first == "crate":
            place = ()
        elif first == "self":
            place = module
        elif first == "super":
            place = module[:-1]
            while rest and rest[0] == "super":
                place, rest = place[:-1], rest[1:]
        elif (*module, first) in self.texts:
            place, rest = module, [first, *rest]
        else:
            return None
        while rest and (*place, rest[0]) in self.texts:
            place, rest = (*place, rest[0]), rest[1:]
        if place not in self.texts or not rest or rest[0] in self.definitions[place] or depth > 12:
            return place if place in self.texts else None
        again = [path for path in self.imports[place] if path.split("::")[-1] == rest[0]]
        return self.module_of(place, again[0], depth + 1) if again else place

    def arrows(self):
        """Returns the modules that each module imports, without its submodules and the modules that contain it."""
        arrows = {}
        for module, text in self.texts.items():
            paths = self.imports[module] + PATH.findall(USE.sub("", text))
            others = {self.module_of(module, path) for path in paths} - {None, module}
            is_related = lambda other: other[: len(module)] == module or module[: len(other)] == other
            arrows[module] = {other for other in others if not is_related(other)}
        return arrows


def circles(arrows):
    """Returns the modules that can be reached from themselves."""
    def reachable(start):
        reached, waiting = set(), [start]
        while waiting:
            new = arrows[waiting.pop()] - reached
            reached |= new
            waiting.extend(new)
        return reached
    return sorted("::".join(module) for module in arrows if module in reachable(module))


class Imports(unittest.TestCase):
    def test_files_of_a_crate_do_not_import_each_other_in_circles(self):
        manifests = [manifest for room in ("formats", "engine", "analyses") for manifest in
                     sorted((REPOSITORY / room).glob("*/Cargo.toml"))]
        self.assertGreater(len(manifests), 20)
        for manifest in [REPOSITORY / "Cargo.toml", *manifests]:
            with self.subTest(crate=manifest.parent.name):
                self.assertEqual(circles(Crate(manifest.parent).arrows()), [])

    def test_a_circle_is_found(self):
        self.assertEqual(circles({("a",): {("b",)}, ("b",): {("c",)}, ("c",): {("b",)}}), ["b", "c"])
        self.assertEqual(expanded("a::{b, c::{d, e as f}}"), ["a::b", "a::c::d", "a::c::e"])


if __name__ == "__main__":
    unittest.main()
