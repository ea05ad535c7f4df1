"""A person of the staff in Chromium, who has signed in."""

import pathlib
import re

LONGEST = 300_000  # milliseconds
PASSWORD = "a password that is long enough"
ORDER = """() => {
  const all = 'a[href], button, input:not([type=hidden]), select, textarea, summary';
  // Of radio buttons the Tab key reaches the chosen one; arrows go to the others.
  const isOther = (one) => one.type === 'radio' && !one.checked &&
    document.querySelector(`input[name="${one.name}"]:checked`);
  window.reached = [...document.querySelectorAll(all)].filter((one) => one.checkVisibility() && !isOther(one));
  return window.reached.map((one) => one.outerHTML.slice(0, 90));
}"""
FOCUSED = """() => {
  const one = document.activeElement;
  const ring = (of) => { const style = getComputedStyle(of); return style.outlineStyle !== 'none' &&
    parseFloat(style.outlineWidth) >= 2; };
  return [window.reached.indexOf(one), ring(one) || ring(one.closest('form.search') ?? one)];
}"""


class Page:
    """A line of pages.txt."""

    def __init__(self, line):
        self.when, self.name, self.endpoint, self.address = line.split()
        self.is_out = self.when == "out"

    def at(self, values):
        return re.sub(r"\{(\w+)\}", lambda found: values[found.group(1)], self.address)


def pages():
    lines = pathlib.Path(__file__).with_name("pages.txt").read_text().splitlines()
    return [Page(line) for line in lines if line and not line.startswith("#")]


class Visitor:
    """Opens pages in a look: a width, a theme and a language."""

    THEMES = ["light", "dark", "system"]
    LANGUAGES = ["en", "zh"]

    def __init__(self, browser, server):
        self.browser, self.server = browser, server
        self.state = None
        self.said = []

    def sign_in(self):
        with self.context() as context:
            page = context.new_page()
            page.goto(self.server.address + self.server.link)
            page.fill("#password", PASSWORD)
            page.fill("#again", PASSWORD)
            page.click("main button")
            page.fill("#name", "owner")
            page.fill("#password", PASSWORD)
            page.click("main button")
            page.wait_for_url("**/dashboard")
            self.state = context.storage_state()

    def choose(self, theme, language):
        """Saves the theme and the language in the account."""
        with self.context() as context:
            page = context.new_page()
            page.goto(self.server.address + "/dashboard/account")
            page.select_option("#theme", theme)
            page.select_option("#language", language)
            page.fill("#zone", "Asia/Shanghai" if language == "zh" else "Europe/Rome")
            page.click("form[action='/dashboard/account'] button")
            page.wait_for_url("**/dashboard/account?done=look")

    def context(self, width=1280, theme="light", language="en", is_out=False, scripts=True):
        """A browser's profile. Someone signed in prefers other colours than the account says, so that the account
        decides."""
        if theme == "system":
            scheme = "dark"
        else:
            scheme = theme if is_out else {"light": "dark", "dark": "light"}[theme]
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=scripts,
            locale={"en": "en-GB", "zh": "zh-CN"}[language], java_script_enabled=scripts,
            storage_state=None if is_out else self.state)
        context.set_default_timeout(LONGEST)
        return context

    def open(self, context, page, values):
        """Opens a page. What the browser says about it, such as breaches of the policy, goes into `said`."""
        tab = context.new_page()
        expected = {"problem": 404, "link-over": 410}.get(page.name, 200)

        def hear(message):
            # The browser advises a field for the name beside each password, and the form may have none.
            if message.text.startswith("[DOM] Password forms should have"):
                return
            # The browser tells of every answer that is no success, which some pages are.
            if f"status of {expected}" not in message.text or expected == 200:
                self.said.append(f"{page.name}: the browser says: {message.text}")

        tab.on("console", hear)
        tab.on("pageerror", lambda error: self.said.append(f"{page.name}: {error}"))
        answer = tab.goto(self.server.address + page.at(values))
        if answer.status != expected:
            self.said.append(f"{page.name}: the answer is {answer.status}, not {expected}")
        return tab
