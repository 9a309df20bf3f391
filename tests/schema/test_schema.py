#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rules/schema.json against every example, and so against the parser, whose own test reads the same files.

tests/rules/accept/*, rules/*.yml and the accepted rows of tests/rules/values.txt must be valid. tests/rules/reject/* and
the rejected rows must not be, except for what no schema of one file can see. docs/prove.schema.json against what `prove` is expected to write, docs/trend.schema.json
likewise. Needs the packages python3-yaml and python3-jsonschema.
"""
import json
import pathlib
import re
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/rules"))
import values  # noqa: E402

# Files of reject/ that are valid for the schema, by the reason for which it cannot see the mistake.
PARSER_ONLY = {
    "several entries compared with each other": ["duplicate-budget", "every-budget-off-default"],
    "other files": [
        "extends-unknown", "extends-unknown-far", "extends-missing", "extends-above", "extends-itself",
        "extends-cycle", "extends-bad-file", "extends-deep", "extends-nested", "extends-many", "extends-typo-in-name",
        "extends-not-rules", "extends-not-rules-version", "extends-not-rules-key", "extends-not-rules-twice",
        "no-limit-off",
    ],
}


class Refused(yaml.YAMLError):
    """What libyaml takes and the rules file does not."""


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema: `off` is text, a date is text; aliases, anchors, tags and duplicate keys are errors."""

    yaml_implicit_resolvers = {}

    def compose_node(self, parent, index):
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise Refused("alias or anchor")
        if getattr(event, "tag", None):
            raise Refused("tag")
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(map(str, keys))):
            raise Refused("duplicate key")
        return {self.construct_scalar(key): self.construct_object(value, deep=True) for key, value in node.value}

    def process_directives(self):
        version, tags = super().process_directives() or (None, None)
        if self.yaml_version:
            raise Refused("directive")
        return version, tags


for name, first, pattern in [
    ("null", "~nN\0", r"~|null|Null|NULL|"),
    ("bool", "tTfF", r"true|True|TRUE|false|False|FALSE"),
    ("int", "-+0123456789", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    ("float", "-+.0123456789",
     r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(rf"(?:{pattern})\Z"),
                                 [""] if name == "null" else list(first))
    if name == "null":
        Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(rf"(?:{pattern})\Z"), list("~nN"))
Loader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node))


def error_of(validator, text):
    """None when the rules file is valid, else the first thing that is wrong with it."""
    try:
        document = yaml.load(text.decode("utf-8"), Loader=Loader)
    except (yaml.YAMLError, ValueError) as error:
        return str(error)
    return next((error.message for error in validator.iter_errors(document)), None)


def proofs():
    """What is wrong with the expected outputs of `prove --json`, by docs/prove.schema.json."""
    schema = json.loads((ROOT / "docs/prove.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    cases = ROOT / "fixtures/cases"
    paths = [cases / "prove_reports/expect/proof.json", cases / "prove_at_least_not/expect/output"]
    texts = [re.sub("^== .*", "", path.read_text(encoding="utf-8"), flags=re.M) for path in paths]
    found = [(path, list(validator.iter_errors(json.loads(text)))) for path, text in zip(paths, texts)]
    return [f"{path}: {errors[0].message}" for path, errors in found if errors]


def trends():
    """What is wrong with the expected outputs of `trend --json`, by docs/trend.schema.json."""
    schema = json.loads((ROOT / "docs/trend.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    paths = sorted((ROOT / "fixtures/cases").glob("trend_*/expect/trend.json"))
    found = [(path, list(validator.iter_errors(json.loads(path.read_text(encoding="utf-8"))))) for path in paths]
    return [f"{path}: {errors[0].message}" for path, errors in found if errors] + ([] if paths else ["no trend.json"])


def sarifs():
    """What is wrong with the expected outputs of `--sarif`: by the schema beside this file, and in their rules."""
    schema = json.loads((ROOT / "tests/schema/sarif.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong, results = [], 0
    for path in sorted((ROOT / "fixtures/cases").glob("*/expect/*.sarif")):
        report = json.loads(path.read_text(encoding="utf-8"))
        wrong += [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(report)]
        run = report["runs"][0]
        ids = [rule["id"] for rule in run["tool"]["driver"].get("rules", [])]
        wrong += [f"{path}: two rules have the id '{name}'" for name in set(ids) if ids.count(name) > 1]
        wrong += [f"{path}: no rule has the id '{result['ruleId']}'" for result in run["results"]
                  if result["ruleId"] not in ids]
        results += len(run["results"])
    return wrong + ([] if results else ["no *.sarif with a result in fixtures/cases"])


def main():
    schema = json.loads((ROOT / "rules/schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker(["date"]))
    parser_only = {name for names in PARSER_ONLY.values() for name in names}
    wrong = []
    accepted = sorted((ROOT / "tests/rules/accept").rglob("*.yml")) + sorted((ROOT / "rules").glob("*.yml"))
    rejected = sorted((ROOT / "tests/rules/reject").glob("*.yml"))
    for path in accepted:
        error = error_of(validator, path.read_bytes())
        if error is not None:
            wrong.append(f"{path}: the parser accepts it, the schema says: {error}")
    for path in rejected:
        valid = error_of(validator, path.read_bytes()) is None
        if valid and path.stem not in parser_only:
            wrong.append(f"{path}: the parser rejects it, the schema does not")
        if not valid and path.stem in parser_only:
            wrong.append(f"{path}: listed as invisible to the schema, which sees it")
    for section, kind, row, text in values.rows():
        error = error_of(validator, text.encode("utf-8"))
        if (error is None) == (kind == "reject"):
            wrong.append(f"{values.PATH}: {section}: {row}: '{kind}', but the schema says: {error or 'valid'}")
    wrong += proofs() + trends() + sarifs()
    missing = parser_only - {path.stem for path in rejected}
    wrong += [f"{name}: listed, but there is no such file" for name in sorted(missing)]
    print("\n".join(wrong) or f"{len(accepted)} accepted, {len(rejected)} rejected: schema and parser agree")
    return 1 if wrong or not accepted or not rejected else 0


if __name__ == "__main__":
    sys.exit(main())
