# SPDX-License-Identifier: Apache-2.0
"""A verdict as dataclasses, made of the JSON report (docs/report.schema.json)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple


@dataclass(frozen=True)
class Cause:
    """What findings come down to: one function that costs more, with the budgets that it breaks."""

    function: str
    file: str
    line: int  # 0: not known
    outcome: str  # "fail", "inconclusive", "warn"
    reason: str
    measure: str
    is_own: bool
    baseline_share: float
    canary_share: float
    delta_pp: float
    ci95_pp: Optional[Tuple[float, float]]
    p: Optional[float]
    cost_ratio: Optional[float]  # canary / baseline per unit of work
    explains: Optional[float]  # part of all growth
    new_function: Optional[str]
    path: Tuple[str, ...]
    budgets: Tuple[str, ...]
    text: str  # one sentence
    advice: str  # may be empty


@dataclass(frozen=True)
class Finding:
    """A budget and a function."""

    budget: str
    function: str
    measure: str
    outcome: str
    reason: str
    baseline_share: float
    canary_share: float
    delta_pp: float
    ci95_pp: Optional[Tuple[float, float]]
    p: Optional[float]
    p_adjusted: Optional[float]
    detectable_pp: Optional[float]
    limit: Optional[str]
    text: str
    advice: str


@dataclass(frozen=True)
class Notice:
    """A warning about the inputs or the run."""

    code: str
    severity: str  # "warn"; "error": the rules raise it, and the sides cannot be compared
    message: str


@dataclass(frozen=True)
class Totals:
    """The totals of both sides in the first sample type that was compared."""

    sample_type: str
    unit: str
    baseline: int
    canary: int
    baseline_samples: float  # effective samples
    canary_samples: float
    equal: Optional[str]  # what both sides have equal: "work", "time", "run", "share", "unknown"
    ratio: Optional[float]  # canary / baseline by `equal`; None: not known


@dataclass(frozen=True)
class Verdict:
    """The outcome of a comparison. `json` is the whole report."""

    outcome: str  # "pass", "fail" or "inconclusive"
    causes: Tuple[Cause, ...]
    findings: Tuple[Finding, ...]
    warnings: Tuple[Notice, ...]
    totals: Totals
    json: Dict[str, Any] = field(repr=False, hash=False)

    @property
    def passed(self) -> bool:
        return self.outcome == "pass"

    @property
    def failed(self) -> bool:
        return self.outcome == "fail"

    @property
    def inconclusive(self) -> bool:
        return self.outcome == "inconclusive"

    def __str__(self) -> str:
        """The outcome, a line per cause with its advice, and the warnings."""
        lines = [self.outcome]
        for cause in self.causes:
            lines.append(f"  {cause.outcome}: {cause.text}")
            if cause.advice:
                lines.append(f"    {cause.advice}")
        lines += [f"  warning: {notice.message}" for notice in self.warnings]
        return "\n".join(lines)


def _pair(value: Any) -> Optional[Tuple[float, float]]:
    return None if value is None else (value[0], value[1])


def _cause(item: Dict[str, Any]) -> Cause:
    return Cause(
        function=item["function"], file=item["file"], line=item["line"], outcome=item["outcome"],
        reason=item["reason"], measure=item["measure"], is_own=item["is_own"],
        baseline_share=item["baseline_share"], canary_share=item["canary_share"], delta_pp=item["delta_pp"],
        ci95_pp=_pair(item["ci95_pp"]), p=item["p"], cost_ratio=item["cost_ratio"], explains=item["explains"],
        new_function=item.get("new_function"), path=tuple(item["path"]),
        budgets=tuple(budget["name"] for budget in item["budgets"]), text=item["text"], advice=item["advice"])


def _finding(budget: str, item: Dict[str, Any]) -> Finding:
    limit = item.get("limit")
    return Finding(
        budget=budget, function=item["function"], measure=item["measure"], outcome=item["outcome"],
        reason=item["reason"], baseline_share=item["baseline_share"], canary_share=item["canary_share"],
        delta_pp=item["delta_pp"], ci95_pp=_pair(item["ci95_pp"]), p=item["p"], p_adjusted=item.get("p_adjusted"),
        detectable_pp=item["detectable_pp"], limit=None if limit is None else limit["text"],
        text=item.get("text", ""), advice=item.get("advice", ""))


def _totals(report: Dict[str, Any]) -> Totals:
    cost = report.get("total_cost", {})
    equal = cost.get("equal")
    ratio = next((reading["ratio"] for reading in cost.get("readings", []) if reading["equal"] == equal), None)
    baseline, canary = report["baseline"], report["canary"]
    return Totals(
        sample_type=report["sample_type"]["type"], unit=report["sample_type"]["unit"], baseline=baseline["total"],
        canary=canary["total"], baseline_samples=baseline["samples_effective"],
        canary_samples=canary["samples_effective"], equal=equal, ratio=ratio)


def verdict_of(report: Dict[str, Any]) -> Verdict:
    """The verdict that a report holds."""
    findings = tuple(_finding(budget["name"], item) for budget in report["budgets"] for item in budget["findings"])
    warnings = tuple(Notice(item["code"], item["severity"], item["message"]) for item in report["warnings"])
    return Verdict(report["verdict"], tuple(map(_cause, report["causes"])), findings, warnings, _totals(report), report)
