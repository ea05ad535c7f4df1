"""main.py BROWSER PROGRAM walk | walk-all | pictures FOLDER: see run."""

import pathlib
import sys

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from server import Server
from stories import tell
from visitor import FOCUSED, ORDER, Visitor, pages

WIDTHS = [320, 390, 1000, 1280, 1440]


def main(executable, program, mode, folder=None):
    with Server(program) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, timeout=300_000,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        values = {"link": server.invite("anyone").rsplit("/", 1)[1]}
        visitor = Visitor(browser, server)
        visitor.sign_in()
        empty = [page for page in pages() if page.when == "empty"]
        if mode in ["walk", "walk-all"]:
            looks = len(WIDTHS) if mode == "walk-all" else 1
            told = Walk(visitor, values, empty, "empty", looks).run()
            values |= tell(server)
            told += Walk(visitor, values, pages(), "full", looks).run()
            print("\n".join(dict.fromkeys(visitor.said)))
            return 1 if told or visitor.said else 0
        take(visitor, values, empty, pathlib.Path(folder), "empty-")
        values |= tell(server)
        take(visitor, values, pages(), pathlib.Path(folder), "")
        return 0


class Walk:
    """All pages, each once by keyboard and without scripts, and then with axe in a number of looks: widths, each with a
    theme and a language."""

    def __init__(self, visitor, values, listed, data, count):
        self.visitor, self.values, self.listed, self.data, self.count = visitor, values, listed, data, count
        self.told = []

    def run(self):
        with self.visitor.context(scripts=False) as signed, self.visitor.context(is_out=True, scripts=False) as out:
            for page in self.listed:
                self.go_by_keyboard(self.visitor.open(out if page.is_out else signed, page, self.values), page)
        for theme in Visitor.THEMES:
            for language in Visitor.LANGUAGES:
                self.visitor.choose(theme, language)
                for page, width in self.looks(theme, language):
                    self.judge(page, width, theme, language)
        return self.told

    def looks(self, theme, language):
        """The pages and widths of a theme and a language. If a page has all widths, every two values of page, width,
        theme and language meet."""
        for number, page in enumerate(self.listed):
            for place in range(self.count):
                turn = number + place
                width = WIDTHS[turn % len(WIDTHS)]
                if Visitor.THEMES[turn % 3] == theme and Visitor.LANGUAGES[turn % 2] == language:
                    yield page, width

    def go_by_keyboard(self, tab, page):
        """Reaches every link, button and field with the Tab key, in the order of the page, and sees where it is."""
        listed = tab.evaluate(ORDER)
        reached = []
        for _ in range(len(listed) + 2):
            tab.keyboard.press("Tab")
            place, is_seen = tab.evaluate(FOCUSED)
            if place < 0 or place in reached:
                if reached and place != -1:
                    break
                continue
            reached.append(place)
            if not is_seen:
                self.tell(page, f"no ring is seen on {listed[place]}")
        first = reached.index(0) if 0 in reached else 0
        if reached[first:] + reached[:first] != list(range(len(listed))):
            missing = [listed[place] for place in range(len(listed)) if place not in reached]
            self.tell(page, f"the Tab key goes {reached}, and never to {missing}")
        if not page.is_out and not (listed and "skip" in listed[0]):
            self.tell(page, "the first link does not skip to the content")
        tab.close()

    def judge(self, page, width, theme, language):
        with self.visitor.context(width, theme, language, page.is_out) as context:
            tab = self.visitor.open(context, page, self.values)
            look = f"{width} px, {theme}, {language}"
            for violation in Axe().run(tab).response["violations"]:
                where = "; ".join(node["html"][:200] for node in violation["nodes"][:2])
                why = violation["nodes"][0]["failureSummary"].replace("\n", " ")[:300]
                self.tell(page, f"{look}: {violation['id']}: {where}: {why}")
            over = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if over > 0:
                self.tell(page, f"{look}: it scrolls sideways by {over} px")
            if tab.evaluate("document.documentElement.lang") != {"en": "en", "zh": "zh-Hans"}[language]:
                self.tell(page, f"{look}: the language is another one")

    def tell(self, page, text):
        self.told.append(f"{page.name} ({self.data}): {text}")
        print(self.told[-1], flush=True)


def take(visitor, values, listed, folder, prefix):
    """Takes pictures of pages in every theme and language, for a wide and a narrow window."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme in ["light", "dark"]:
        for language in Visitor.LANGUAGES:
            visitor.choose(theme, language)
            for width in [1440, 390]:
                with visitor.context(width, theme, language) as signed, visitor.context(
                    width, theme, language, is_out=True
                ) as out:
                    for page in listed:
                        tab = visitor.open(out if page.is_out else signed, page, values)
                        name = f"{prefix}{page.name}-{width}-{theme}-{language}.png"
                        tab.screenshot(path=folder / name, full_page=True)
                        tab.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
