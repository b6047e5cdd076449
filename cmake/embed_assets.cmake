# cmake -DOUTPUT=assets.cpp -DASSETS=folder -DUPLOT=folder -P embed_assets.cmake
# Writes the files of the page as one C++ source, so that the program needs none of them when it runs.
# The parts of report.js share one scope and stand in the order of their names' numbers: 10_dom.js, 20_format.js, ...
file(GLOB parts ${ASSETS}/*.js)
list(SORT parts)
set(report_js "(() => {\n'use strict';\n")
foreach(part ${parts})
  file(READ ${part} content)
  string(APPEND report_js "${content}")
endforeach()
string(APPEND report_js "})();\n")
file(READ ${ASSETS}/page.html page_html)
file(READ ${ASSETS}/report.css report_css)
file(READ ${UPLOT}/uPlot.iife.min.js uplot_js)
file(READ ${UPLOT}/uPlot.min.css uplot_css)
file(READ ${UPLOT}/LICENSE uplot_licence)  # goes with every copy of the script

# Raw strings: the delimiter must not occur in a file, and a literal longer than 64 KiB is fine for g++ and clang.
function(literal name content)
  string(FIND "${content}" ")~~~~\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${name} contains the delimiter of its literal")
  endif()
  set(source "${source}constexpr char ${name}[] = R\"~~~~(${content})~~~~\";\n" PARENT_SCOPE)
endfunction()

set(source "// Written by cmake/embed_assets.cmake.\n#include \"plumb/report/assets.h\"\n\n#include <stdexcept>\n#include <string>\n\n")
string(APPEND source "namespace plumb::report {\nnamespace {\n\n")
literal(kPage "${page_html}")
literal(kStyle "${report_css}")
literal(kScript "${report_js}")
literal(kUplot "${uplot_js}")
literal(kUplotStyle "${uplot_css}")
literal(kUplotLicence "${uplot_licence}")
string(APPEND source "
}  // namespace

std::string_view asset(std::string_view name) {
  if (name == \"page.html\") return kPage;
  if (name == \"report.css\") return kStyle;
  if (name == \"report.js\") return kScript;
  if (name == \"uPlot.iife.min.js\") return kUplot;
  if (name == \"uPlot.min.css\") return kUplotStyle;
  if (name == \"uPlot LICENSE\") return kUplotLicence;
  throw std::logic_error(\"there is no asset \" + std::string(name));
}

}  // namespace plumb::report
")
file(WRITE ${OUTPUT} "${source}")
