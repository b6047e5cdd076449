"""A headless Chromium that opens a page, says what it logged and asked for, and clicks. Skips where there is none."""

import json
import os
import shutil
import time
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)


def what_is_missing():
    if webdriver is None:
        return "Python's selenium is not installed (./dev setup)"
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed (./dev setup)"
    return None


class Browser:
    def __init__(self, downloads, width=1280, height=900):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for flag in (*FLAGS, f"--window-size={width},{height}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)}
        )
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.downloads = downloads
        self.size(width, height)

    def size(self, width, height):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def open(self, address):
        self.driver.get_log("performance")
        self.driver.get(address)

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def click(self, selector):
        element = self.all(selector)[0]
        self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        self.js("arguments[0].click()", element)

    def wait(self, condition, what, seconds=20):
        """Until the JavaScript expression is true."""
        for _ in range(int(seconds / 0.05)):
            if self.js(f"return !!({condition})"):
                return
            time.sleep(0.05)
        raise AssertionError(f"waited {seconds} s for: {what}; the console says {self.console()[:5]}")

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that the page asked for since it was opened, without what is inside it."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [address for address in asked if not address.startswith(("data:", "blob:"))]

    def downloaded(self, name, seconds=20):
        path = self.downloads / name
        for _ in range(int(seconds / 0.05)):
            if path.exists() and path.stat().st_size > 0 and not list(self.downloads.glob("*.crdownload")):
                return path
            time.sleep(0.05)
        raise AssertionError(f"{name} was not saved; there are {[p.name for p in self.downloads.iterdir()]}")

    def close(self):
        self.driver.quit()


def needs_a_browser(test_class):
    """Outside CI a missing browser skips the tests, with its reason; in CI it fails them."""
    missing = what_is_missing()
    if missing and not os.environ.get("CI"):
        return unittest.skip(missing)(test_class)
    return test_class
