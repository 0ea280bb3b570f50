"""Headless Chromium."""

import contextlib
import shutil

# The whole browser. Only what browsers offer outside the page, such as to install it, needs that.
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# The same engine without windows takes a third less of the processors.
SHELL = shutil.which("chromium-headless-shell") or CHROMIUM


@contextlib.asynccontextmanager
async def chromium(program=SHELL):
    """Runs it, and yields Playwright's handle."""
    from playwright.async_api import async_playwright
    async with async_playwright() as playwright:
        # As root there is no sandbox, and the pages are ours.
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            await browser.close()
