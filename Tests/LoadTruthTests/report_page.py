"""LoadTests/report.html in headless Chromium."""

from harness.chromium import chromium
from harness.relay import REPOSITORY

PAGE = REPOSITORY / "LoadTests/report.html"
READ = """() => ({
  problem: document.getElementById("problem").hidden ? "" : document.getElementById("problem").textContent,
  articles: [...document.querySelectorAll("article")].map((article) => ({
    name: article.querySelector("h2").firstChild.textContent, text: article.textContent,
    marks: [...article.querySelectorAll("svg")].map((svg) => [...svg.querySelectorAll("text")].map(
      (text) => text.textContent)),
    unnamed: article.querySelectorAll("svg:not([role=img][aria-label]), th:not([scope])").length,
    charts: [...article.querySelectorAll("svg > title")].map((title) => title.textContent),
    rows: [...article.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
    paths: [...article.querySelectorAll("path")].map((path) => path.getAttribute("d")) })),
  sides: [...document.querySelectorAll("#reports > section tr")].map(
    (row) => [...row.children].map((cell) => cell.textContent)),
  warnings: [...document.querySelectorAll("#reports > section li")].map((item) => item.textContent),
  scripts: document.querySelectorAll("article script, article b").length,
  links: [...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href")) })"""


async def drawn(*reports):
    """Returns the page's text for these files."""
    return (await each_drawn([reports]))[0]


async def each_drawn(choices):
    """Returns the page's text for each choice of files. It must load nothing, and have no error."""
    async with chromium() as browser:
        page = await browser.new_page()
        problems, asked = [], []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("request", lambda request: asked.append(request.url))
        shown = []
        for reports in choices:
            await page.goto(PAGE.as_uri())
            await page.set_input_files("#files", [str(report) for report in reports])
            await page.wait_for_selector("article, #problem:not([hidden])")
            shown.append(await page.evaluate(READ))
        assert problems == [], problems
        assert asked == [PAGE.as_uri()] * len(shown), asked
        return shown
