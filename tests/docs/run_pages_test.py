#!/usr/bin/env python3
"""Pages that are right pass, and pages that are wrong are refused with the line that is wrong."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import compare  # noqa: E402


def block(*lines, language="console"):
    return "\n".join((f"```{language}", *lines, "```", ""))


class Comparison(unittest.TestCase):
    def test_text_is_taken_literally(self):
        self.assertTrue(compare.agree(["a.b (c)"], ["a.b (c)"]))
        self.assertFalse(compare.agree(["a.b"], ["axb"]))

    def test_a_line_of_dots_is_any_number_of_lines(self):
        self.assertTrue(compare.agree(["a", "...", "z"], ["a", "z"]))
        self.assertTrue(compare.agree(["a", "...", "z"], ["a", "b", "c", "z"]))
        self.assertFalse(compare.agree(["a", "...", "z"], ["a", "b"]))

    def test_dots_in_a_line_are_any_text_of_that_line(self):
        self.assertTrue(compare.agree(["a ... z"], ["a b c z"]))
        self.assertFalse(compare.agree(["a ... z"], ["a b", "c z"]))

    def test_missing_and_additional_lines_are_seen(self):
        self.assertFalse(compare.agree(["a"], []))
        self.assertFalse(compare.agree(["a"], ["a", "b"]))
        self.assertFalse(compare.agree([], ["a"]))

    def test_figures_vary_only_where_the_page_says_so(self):
        self.assertFalse(compare.agree(["used 98 MiB"], ["used 1.2 GiB"]))
        self.assertTrue(compare.agree(["used 98 MiB"], ["used  1.2 GiB"], figures_vary=True))
        self.assertTrue(compare.agree(["for 1m30s."], ["for 5s."], figures_vary=True))
        self.assertFalse(compare.agree(["used 98 MiB"], ["used none"], figures_vary=True))
        self.assertFalse(compare.agree(["used 98 MiB"], ["left 98 MiB"], figures_vary=True))


class Runner(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(text)
            done = subprocess.run([sys.executable, str(HERE / "run_pages.py"), "--build", folder, str(path)],
                                  capture_output=True, text=True)
            return done.returncode, done.stdout + done.stderr

    def test_a_page_that_is_right_passes(self):
        status, said = self.run_page("# Page\n\n" + block("$ echo one; echo two", "one", "two", "$ true"))
        self.assertEqual(status, 0, said)

    def test_a_page_that_is_wrong_is_refused_with_its_line_and_a_diff(self):
        status, said = self.run_page("# Page\n\n" + block("$ echo one", "one", "$ echo two", "three"))
        self.assertEqual(status, 1)
        self.assertIn("page.md:6: echo two", said)
        self.assertIn("-three", said)
        self.assertIn("+two", said)

    def test_a_command_that_fails_is_a_fault_although_its_output_is_right(self):
        status, said = self.run_page(block("$ echo one; false", "one"))
        self.assertEqual(status, 1)
        self.assertIn("exit status 1", said)

    def test_what_goes_to_standard_error_counts(self):
        status, _ = self.run_page(block("$ echo one >&2", "one"))
        self.assertEqual(status, 0)

    def test_files_and_folders_and_variables_last_from_block_to_block(self):
        status, said = self.run_page(
            "<!-- file: a/b.yaml -->\n" + block("x: 1", language="yaml") +
            block("$ cd a; V=2", language="console") + block("$ cat b.yaml; echo $V", "x: 1", "2"))
        self.assertEqual(status, 0, said)

    def test_a_command_may_have_several_lines(self):
        status, said = self.run_page(block("$ cat <<END", "> one", "> END", "one"))
        self.assertEqual(status, 0, said)

    def test_a_block_that_says_so_is_not_run(self):
        status, said = self.run_page("<!-- not run: it takes a day -->\n" + block("$ false"))
        self.assertEqual(status, 0, said)

    def test_commands_in_a_block_of_another_kind_are_refused(self):
        status, said = self.run_page(block("$ true", language="text"))
        self.assertEqual(status, 1)
        self.assertIn("neither console nor marked", said)

    def test_an_unknown_remark_is_refused(self):
        status, said = self.run_page("<!-- run twice -->\n" + block("$ true"))
        self.assertEqual(status, 1)
        self.assertIn("run twice", said)

    def test_what_a_reader_does_not_see_runs_too_and_may_fail(self):
        self.assertEqual(self.run_page("<!-- before: touch here -->\n" + block("$ ls", "here"))[0], 0)
        self.assertEqual(self.run_page("<!-- before: false -->\n")[0], 1)

    def test_a_command_is_repeated_until_it_agrees(self):
        text = "<!-- within 10 s -->\n" + block("$ echo x >>n; wc -l <n", "3")
        self.assertEqual(self.run_page(text)[0], 0)
        self.assertEqual(self.run_page(block("$ echo x >>n; wc -l <n", "3"))[0], 1)

    def test_after_the_shell_has_ended_only_what_cleans_up_is_run(self):
        with tempfile.NamedTemporaryFile() as trace:
            status, said = self.run_page(
                block("$ echo last words; exit 3", f"$ echo went on >>{trace.name}") + "<!-- clean up -->\n" +
                block(f"$ echo cleaned >>{trace.name}"))
            self.assertEqual(status, 1, said)
            self.assertIn("the shell has ended; until then it printed:\nlast words", said)
            self.assertEqual(trace.read(), b"cleaned\n")

    def test_what_goes_on_behind_the_page_is_ended_with_it(self):
        with tempfile.NamedTemporaryFile("r") as trace:
            self.assertEqual(self.run_page(block(f"$ sleep 1000 & echo $! >{trace.name}"))[0], 0)
            self.assertFalse(os.path.exists(f"/proc/{trace.read().strip()}"))

    def test_a_page_whose_needs_are_not_met_is_skipped(self):
        status, said = self.run_page("<!-- needs: no-such-program -->\n" + block("$ false"))
        self.assertEqual(status, 77)
        self.assertIn("Skipped\nthis machine does not have: no-such-program", said)


if __name__ == "__main__":
    unittest.main()
