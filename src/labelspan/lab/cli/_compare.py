"""``labelspan compare``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from labelspan.lab import METHODS, Plan, Source, Splits, Step, Store, analyse, load_plan, run
from labelspan.lab.analysis import (
    Analysis,
    caution,
    chosen_values,
    declines,
    facts_of,
    interaction_shown,
    noise,
    recommendation,
    recommendations,
    tuning_lines,
    verdict,
    verdicts,
)
from labelspan.lab.cli import options, output
from labelspan.lab.cli._data import say_columns
from labelspan.lab.cli.options import (
    SCALE_HELP,
    check_outputs,
    refuse_alone,
    refuse_beside,
    scale_steps,
)
from labelspan.lab.methods import ALL_MEASURES, Method, get_method
from labelspan.lab.plan import (
    DEFAULT_MEASURES,
    READING_FIELDS,
    check_shares,
    holed_sources,
    loaded,
    refuse_holes,
    scaling_lines,
    sources_of,
    steps_of,
    text_fields,
    with_scaling,
)
from labelspan.lab.report import write_report
from labelspan.lab.runner import RunSummary, check_before_run, default_progress
from labelspan.system import counted

CURVE = "1,2,5,10,20,50"
# Options that a plan replaces.
OF_THE_DATA = ("data", *READING_FIELDS)
OF_THE_RUN = ("methods", "classifiers", "splits", "measures", "convention", "directions", "seed")
OF_THE_FIT = ("scale", "tune", "missing", "mechanism")


@options.reads_files
def command(
    context: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="DATA", help="Data sets, the same as --data.")
    ] = None,
    data: Annotated[
        list[str] | None, typer.Option(help="Data set: a name or a file; may be repeated.")
    ] = None,
    methods: Annotated[
        str, typer.Option(help="Reducers and models, separated by commas; see `labelspan methods`.")
    ] = "",
    classifiers: Annotated[
        str, typer.Option(help="Classifiers, separated by commas.")
    ] = "mlknn,ridge",
    scale: Annotated[str, typer.Option(help=SCALE_HELP)] = "none",
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Search the parameters of each method by cross-validation within the training "
            "part; `labelspan methods` lists the candidates.",
        ),
    ] = False,
    missing: Annotated[
        str,
        typer.Option(
            help="Shares of labels to remove from the training parts, such as 0,0.2,0.5; "
            "a method NAME+zero replaces them by 0."
        ),
    ] = "",
    mechanism: Annotated[
        str,
        typer.Option(
            help="Which labels to remove: mcar (at random), labels (rates differ by label), rows."
        ),
    ] = "mcar",
    splits: Annotated[
        str,
        typer.Option(
            help="5x2 (repetitions x folds), 10 (folds), 30x0.8 (random splits x share or rows), "
            "standard."
        ),
    ] = "5x2",
    measures: Annotated[
        str, typer.Option(help="Measures, separated by commas; the first one decides.")
    ] = ",".join(DEFAULT_MEASURES),
    convention: Annotated[
        str, typer.Option(help="Conventions of the measures: sklearn, mddm, mvmd.")
    ] = "sklearn",
    directions: Annotated[
        str, typer.Option(help="Numbers of directions of the curves; '' for none.")
    ] = CURVE,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of random methods.")] = 0,
    plan: Annotated[
        Path | None, typer.Option(help="Plan file (TOML) instead of the options above.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Output folder for results and report.")] = Path(
        "results"
    ),
    jobs: Annotated[
        int, typer.Option(help="Number of parallel cells; -1 for one per processor.")
    ] = -1,
    timeout: Annotated[float | None, typer.Option(help="Time limit per cell in seconds.")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="Run all failed cells again, not only those that failed because of data, "
            "permission, memory or time.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option(help="Print the result as JSON.")] = False,
) -> None:
    """Compare methods on data sets: means, ranks, tests, a recommendation and a report.

    Without options: all reducers with ML-kNN and ridge on yeast and goemotions, in about a minute.
    After an interruption, run the same command again to resume.
    """
    data = [*(files or []), *(data or [])]
    if plan is not None:
        if files:
            raise ValueError(
                f"{files[0]} cannot be combined with --plan, which names its data sets."
            )
        refuse_beside(context, "plan", (*OF_THE_DATA, *OF_THE_RUN, *OF_THE_FIT), "which sets it")
        chosen = load_plan(plan)
    else:
        shares = _shares(missing, mechanism)
        if not shares:
            refuse_alone(context, "mechanism", "missing")
        steps = _steps(methods, classifiers, only_holed=bool(shares))
        sources = _sources(data or ["yeast", "goemotions"], options.reading_options(context))
        chosen = Plan(
            "comparison of methods",
            sources=holed_sources(sources, shares, mechanism) if shares else sources,
            reducers=steps["reducers"],
            classifiers=steps["classifiers"],
            models=steps["models"],
            splits=Splits.from_any(splits),
            measures=tuple(_names(measures)),
            convention=convention,
            seed=seed,
            directions=_numbers(directions),
            preprocessing=scale_steps(scale),
            tune=tune,
        )
    page = out / "report.html"
    if page.exists():
        read = [plan, *(file for source in chosen.sources for file in source.files)]
        check_outputs({"out": page}, read)
    check_before_run(chosen, timeout, dask, readable=True)
    for source in chosen.sources:
        if source.labels and dask is None:
            say_columns(loaded(source))
    chosen = with_scaling(chosen)
    with Store(out) as store:
        summary = run(
            chosen,
            store,
            n_jobs=jobs,
            timeout=timeout,
            dask=dask,
            progress=default_progress(),
            command=output.command_line(),
            retry_failed=retry_failed,
            checked=True,
        )
        analysis = analyse(store, chosen.hash)
        write_report(store, page, plan=chosen.hash)
        doubts = noise(facts_of(store, analysis.plan))
    _tell_of_failures(summary)
    _show(analysis, doubts, summary, page, json)
    raise typer.Exit(0 if set(summary.statuses) <= {"ok"} else 1)


def _tell_of_failures(summary: RunSummary) -> None:
    if summary.n_retried:
        output.say(f"{counted(summary.n_retried, 'cell')} failed earlier and were retried")
    if summary.n_not_retried:
        output.say(
            f"{counted(summary.n_not_retried, 'cell')} failed earlier and were not retried; use "
            "--retry-failed"
        )
    if summary.n_to_retry:
        output.say(
            f"{counted(summary.n_to_retry, 'cell')} failed for a reason outside the methods (data, "
            "permission, memory, time limit, crash); the same command retries them"
        )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> tuple[int, ...]:
    wrong = [name for name in _names(text) if not name.isdecimal() or int(name) < 1]
    if wrong:
        raise ValueError(
            f"--directions holds {wrong[0]!r}; give numbers of at least 1, separated by commas, "
            "or '' for none."
        )
    return tuple(int(name) for name in _names(text))


def _sources(data: list[str], given: dict[str, Any]) -> tuple[Source, ...]:
    if given and len(data) > 1:
        raise ValueError(f"--{next(iter(given)).replace('_', '-')} needs exactly one --data.")
    if given:
        return (Source.from_any({**text_fields(data[0]), **given}),)
    return sources_of(data)


def _shares(text: str, mechanism: str) -> tuple[float, ...]:
    try:
        shares = sorted({float(name) for name in _names(text)})
    except ValueError:
        raise ValueError(
            f"--missing holds {text!r}; give shares separated by commas, such as 0,0.2,0.5."
        ) from None
    check_shares(shares, mechanism)
    return tuple(shares)


def _steps(
    methods: str, classifiers: str, *, only_holed: bool = False
) -> dict[str, tuple[Step, ...]]:
    """Steps by kind; by default all reducers, or those that accept missing labels.

    Among the criteria that subtract redundancy, SCLS stands for the others by default.
    """
    names = _names(methods) or [
        method.name
        for method in METHODS
        if method.kind == "reducer"
        and dict(method.parameters).get("criterion", "scls") == "scls"
        and (not only_holed or _takes_holes(method))
    ]
    steps = [step for name in names for step in steps_of(name)]
    kinds = {step: get_method(step.method).kind for step in steps}
    # The plan refuses a method in the wrong list, and a classifier alone.
    return {
        "reducers": tuple(step for step in steps if kinds[step] == "reducer"),
        "models": tuple(step for step in steps if kinds[step] != "reducer"),
        "classifiers": tuple(step for name in _names(classifiers) for step in steps_of(name)),
    }


def _takes_holes(method: Method) -> bool:
    estimator = method.make()
    try:
        if estimator is not None:
            refuse_holes(Step(method.name), estimator)
    except ValueError:
        return False
    return True


def _show(
    analysis: Analysis, doubts: list[str], summary: RunSummary, page: Path, json: bool
) -> None:
    if json:
        output.print_json({**as_data(analysis, summary, page), "noise": doubts})
        return
    for place, classifier in enumerate(analysis.classifiers):
        print("\n" if place else "", end="")
        _show_methods(analysis, classifier)
    _show_declines(analysis)
    print()
    for sentence in (*scaling_lines(analysis.plan), *tuning_lines(analysis)):
        print(output.clean(sentence))
    for method, reason in analysis.excluded.items():
        output.print_text(f"left out of the ranks: {method}: {reason}")
    said = verdicts(analysis, first_only=True)
    for sentence in (*said, caution(analysis), *doubts, *recommendations(analysis)):
        if sentence:
            output.print_text(sentence)
    print(output.clean(f"report: {page}"))


def _show_methods(analysis: Analysis, classifier: str) -> None:
    measures = analysis.plan.measures
    titles = [ALL_MEASURES[name].title for name in measures]
    rows = [
        [
            item["method"],
            output.number(item["rank"], 2),
            *(output.number(item["means"][name]) for name in measures),
            output.number(item["directions"], 0),
            output.number(item["fit_seconds"], 3),
        ]
        for item in _methods(analysis, classifier)
    ]
    names = [source.name for source in analysis.plan.sources]
    title = ", ".join([*names, classifier] if len(analysis.classifiers) > 1 else names)
    header = ["method", "rank", *titles, "directions", "fit, s"]
    output.print_table(header, rows, f"{title}: means over {analysis.plan.splits.title}")


def _methods(analysis: Analysis, classifier: str) -> list[dict[str, Any]]:
    return [
        {
            "method": method,
            "rank": analysis.overall[classifier].get(method),
            "means": {
                name: analysis.mean(name, method, classifier) for name in analysis.plan.measures
            },
            "directions": analysis.mean("n_components", method, classifier),
            "fit_seconds": analysis.mean("fit_seconds", method, classifier),
        }
        for method in analysis.methods_under(classifier)
    ]


def _show_declines(analysis: Analysis) -> None:
    measure = analysis.plan.measures[0]
    for (dataset, classifier), found in declines(analysis, measure).items():
        shares = sorted({share for means in found.values() for share in means})
        rows = [
            [method, *(output.number(found[method].get(share)) for share in shares)]
            for method in analysis.methods
            if method in found
        ]
        print()
        title = f"{dataset}, {classifier}: {ALL_MEASURES[measure].title} by labels removed"
        output.print_table(["method", *(f"{100 * share:g} %" for share in shares)], rows, title)


def as_data(analysis: Analysis, summary: RunSummary, page: Path) -> dict[str, object]:
    return {
        "cells": summary.n_cells,
        "statuses": summary.statuses,
        "retried": summary.n_retried,
        "not_retried": summary.n_not_retried,
        "to_retry": summary.n_to_retry,
        "classifiers": [
            {
                "classifier": classifier,
                "methods": _methods(analysis, classifier),
                "verdicts": {name: verdict(item) for name, item in rankings.items()},
                "recommendation": recommendation(analysis, classifier),
            }
            for classifier, rankings in analysis.rankings.items()
        ],
        "interactions": {
            name: {"p_value": item.p_value, "verdict": interaction_shown(item)}
            for name, item in analysis.interactions.items()
        },
        "scaling": scaling_lines(analysis.plan),
        "chosen": [
            {"dataset": dataset, "method": method, "step": step, "parameter": name, "values": text}
            for (dataset, method, step, name), text in chosen_values(analysis)
        ],
        "excluded": analysis.excluded,
        "missing": [
            {"dataset": dataset, "classifier": classifier, "measure": name, "means": means}
            for name in analysis.plan.measures
            for (dataset, classifier), means in declines(analysis, name).items()
        ],
        "report": str(page),
    }
