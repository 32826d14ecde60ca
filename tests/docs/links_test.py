#!/usr/bin/env python3
"""links_test.py: every link between pages leads to a file that is there, and to a heading that it has: in the project, and as installed."""
import pathlib
import re
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "packaging"))
import pages as installed_pages
FOLDERS = ("dashboard/src", "docs", "man", "packaging", "src", "tests")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(text):
    """The headings of a page as a browser addresses them."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles]
    named = set(re.findall(r'<a id="([^"]+)">', text))
    return named | {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in plain}


def broken_links(page, text, read):
    """Links of a page that lead nowhere; `read` gives the text of a file, or None."""
    found = []
    for target in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        content = text if not path else read(goal)
        if content is None or (anchor and goal.suffix == ".md" and anchor not in anchors(content)):
            found.append(target)
    return found


def read_file(path):
    if path.is_dir():
        return ""
    return path.read_text(errors="replace") if path.exists() else None


class Links(unittest.TestCase):
    def test_a_link_that_leads_nowhere_is_found(self):
        page, text = pathlib.Path("/p/a.md"), "# A b\n<a id=\"e\"></a>\n[q](#e) [x](b.md) [y](#a-b) [z](#c) [w](b.md#d) `[v](e.md)` [u](https://h/)"
        there = {pathlib.Path("/p/b.md"): "# B"}
        self.assertEqual(broken_links(page, text, there.get), ["#c", "b.md#d"])
        self.assertEqual(broken_links(page, text, {}.get), ["b.md", "#c", "b.md#d"])

    def lead_somewhere(self, pages):
        broken = {str(page): links for page in pages for links in [broken_links(page, page.read_text(), read_file)] if links}
        self.assertGreater(len(pages), 20)
        self.assertEqual(broken, {})

    def test_every_link_of_the_project_leads_somewhere(self):
        self.lead_somewhere([*SOURCE.glob("*.md"), *(page for folder in FOLDERS for page in (SOURCE / folder).rglob("*.md"))])

    def test_every_link_of_an_installed_page_leads_somewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            installed_pages.write("/usr", pathlib.Path(folder))
            self.lead_somewhere([*pathlib.Path(folder).rglob("*.md")])
            alerts = "/usr/share/doc/jettison/prometheus/jettison-alerts.yaml"
            self.assertIn(alerts, (pathlib.Path(folder) / "metrics.md").read_text())
            self.assertTrue((pathlib.Path(folder) / "prometheus/jettison-alerts.yaml").exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
