// Parts of the page's script for plain node. They share one scope in the page (cmake/embed_assets.cmake), so they do here.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const folder = path.join(__dirname, '../../../src/plumb/report/assets');

/** The named functions and constants of a scope made of these parts; `scope` stands in for what a browser has. */
exports.load = (parts, names, scope = {}) => {
  const source = parts.map((part) => fs.readFileSync(path.join(folder, part), 'utf8')).join('');
  const make = new Function(...Object.keys(scope), `'use strict';\n${source}\nreturn {${names.join(', ')}};`);
  return make(...Object.values(scope));
};
