"""A picture of a page of `plumb report`: screenshot.py report.html out.png --at curves [--size 1280x860] [--dark]

The pictures of README.md come from runs that anybody can repeat:
    plumb sweep configs/sweep/wirings.toml --out runs/wirings
    plumb probe configs/task/numbers_deep.toml --set schedule.warmup_updates=0 --compare post_ln,pre_ln,b2t,admin --out runs/probe
    plumb report runs/wirings runs/probe -o report.html
    python3 tools/screenshot.py report.html docs/images/report.png --at '#curves' --size 1280x1080
    python3 tools/screenshot.py report.html docs/images/report_probes.png --at '[data-probe=dependency]' --dark --size 1280x900
"""

import argparse
import pathlib
import shutil
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--at", default="body", help="a CSS selector of what stands at the top")
    parser.add_argument("--size", default="1280x860")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--click", action="append", default=[], help="CSS selectors to click before")
    given = parser.parse_args()
    width, height = map(int, given.size.split("x"))

    options = Options()
    options.binary_location = shutil.which("chromium")
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--window-size={width},{height}",
    ):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        theme = "dark" if given.dark else "light"
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        )
        driver.get(given.page.resolve().as_uri())
        for selector in given.click:
            driver.execute_script("document.querySelector(arguments[0]).click()", selector)
        driver.execute_script("document.querySelector(arguments[0]).scrollIntoView({behavior: 'instant'})", given.at)
        time.sleep(1.5)  # charts are drawn when they come near the screen
        driver.save_screenshot(str(given.picture))
    finally:
        driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
