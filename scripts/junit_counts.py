"""Counts a JUnit file (of ctest --output-junit or pytest --junit-xml) for scripts/test.sh.

Prints one line a test case: passed|failed|skipped, a tab, its name and, if it was skipped, why.
"""

import argparse
import re
import xml.etree.ElementTree as ElementTree


def outcome(case):
    """(passed|failed|skipped, reason) of a <testcase>."""
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed", ""
    skipped = case.find("skipped")
    if skipped is not None:
        # GoogleTest's own words, of which ctest keeps the output alone.
        own = re.search(r": Skipped\n(.+)\n", case.findtext("system-out", ""))
        return "skipped", own[1] if own else skipped.get("message", "")
    if case.get("status") in ("notrun", "disabled"):  # ctest: the program is missing, or the test is switched off
        return ("failed" if case.get("status") == "notrun" else "skipped"), ""
    return "passed", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE")
    for case in ElementTree.parse(parser.parse_args().file).iter("testcase"):
        result, reason = outcome(case)
        # ctest repeats the name as the class name.
        module = case.get("classname", "").partition("  # GetParam() = ")[0]
        # pytest-xdist adds the group of a test that is in one.
        own = case.get("name").removesuffix(f"@{module.rpartition('.')[2]}").partition("  # GetParam() = ")[0]
        name = own if module in ("", own) else f"{module}.{own}"
        reason = " ".join(reason.split())
        print(f"{result}\t{name}{f' ({reason})' if reason else ''}")


if __name__ == "__main__":
    main()
