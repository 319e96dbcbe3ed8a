/** A long Markdown text, made from a table of rivers: about 5,000 of the pieces that `tokens` cuts. */
const rivers = [
  ["Danube", 2850, 817, "the Black Forest", "the Black Sea", ["Vienna", "Bratislava", "Budapest", "Belgrade"]],
  ["Rhine", 1233, 185, "the Swiss Alps", "the North Sea", ["Basel", "Strasbourg", "Cologne", "Rotterdam"]],
  ["Loire", 1006, 117, "Mont Gerbier de Jonc", "the Atlantic", ["Orléans", "Tours", "Angers", "Nantes"]],
  ["Tagus", 1007, 80, "the Sierra de Albarracín", "the Atlantic", ["Toledo", "Santarém", "Lisbon"]],
  ["Vistula", 1047, 194, "Barania Góra", "the Baltic Sea", ["Kraków", "Warsaw", "Toruń", "Gdańsk"]],
  ["Elbe", 1094, 148, "the Giant Mountains", "the North Sea", ["Dresden", "Magdeburg", "Hamburg"]],
  ["Volga", 3531, 1360, "the Valdai Hills", "the Caspian Sea", ["Tver", "Kazan", "Samara", "Astrakhan"]],
  ["Nile", 6650, 3255, "Lake Victoria", "the Mediterranean", ["Khartoum", "Aswan", "Luxor", "Cairo"]],
  ["Niger", 4180, 2118, "the Guinea Highlands", "the Gulf of Guinea", ["Bamako", "Timbuktu", "Niamey"]],
  ["Zambezi", 2574, 1330, "Mwinilunga", "the Indian Ocean", ["Livingstone", "Kariba", "Tete"]],
  ["Indus", 3180, 1165, "the Tibetan Plateau", "the Arabian Sea", ["Leh", "Sukkur", "Hyderabad"]],
  ["Ganges", 2525, 1016, "the Gangotri Glacier", "the Bay of Bengal", ["Haridwar", "Varanasi", "Patna"]],
  ["Mekong", 4350, 795, "the Tibetan Plateau", "the South China Sea", ["Luang Prabang", "Vientiane", "Phnom Penh"]],
  ["Yangtze", 6300, 1800, "the Tanggula Mountains", "the East China Sea", ["Chongqing", "Wuhan", "Nanjing", "Shanghai"]],
  ["Amur", 2824, 1855, "the Onon and the Shilka", "the Sea of Okhotsk", ["Blagoveshchensk", "Khabarovsk"]],
  ["Murray", 2508, 1061, "the Australian Alps", "the Southern Ocean", ["Albury", "Echuca", "Mildura"]],
  ["Mississippi", 3766, 2980, "Lake Itasca", "the Gulf of Mexico", ["Minneapolis", "St. Louis", "Memphis", "New Orleans"]],
  ["Yukon", 3190, 854, "the Coast Mountains", "the Bering Sea", ["Whitehorse", "Dawson", "Galena"]],
  ["Colorado", 2330, 640, "La Poudre Pass", "the Gulf of California", ["Grand Junction", "Moab", "Yuma"]],
  ["Amazon", 6400, 7050, "the Andes", "the Atlantic", ["Iquitos", "Manaus", "Santarém", "Macapá"]],
  ["Paraná", 4880, 2583, "the Brazilian Highlands", "the Río de la Plata", ["Posadas", "Corrientes", "Rosario"]],
];

const number = new Intl.NumberFormat("en");

function chapter([name, km, basin, source, mouth, towns], index) {
  const day = Math.round(km / 90);
  const slope = (km / basin).toFixed(2);
  const last = towns.at(-1);
  return [
    `## ${index + 1}. The ${name}`,
    `The **${name}** rises in ${source} and reaches ${mouth} after *${number.format(km)} kilometers*. A leaf that falls into ` +
    `it at the source and never touches the bank is about ${day} days on its way; most leaves are less lucky. On the map ` +
    `its basin covers ${number.format(basin)} thousand square kilometers, and every drop of rain that falls there is, sooner ` +
    `or later, on its way to ${last}.`,
    `| Measure | Value | Note |\n| :-- | --: | :-- |\n| Length | ${number.format(km)} km | from ${source} |\n` +
    `| Basin | ${number.format(basin * 1000)} km² | ${slope} km of river for each 1,000 km² |\n` +
    `| Travel | ${day} days | for a leaf, at 90 km a day |`,
    `Who follows it downstream passes:\n\n${
      towns
        .map((town, place) =>
          `${place + 1}. **${town}**, ${["where the hills begin", "where the bridges are old", "where the barges turn", "where the water is wide"][place]}`
        )
        .join("\n")
    }`,
    index % 3 === 0
      ? "```json\n" + JSON.stringify({ name, km, basin, mouth, towns }, undefined, 2) + "\n```"
      : index % 3 === 1
      ? `> Nobody has seen the ${name} twice, says the ferryman at ${towns[0]}; but then he also says that nobody pays twice.`
      : `- [x] measured at \`${last}\`\n- [ ] sailed from end to end\n- [ ] forgotten`,
  ].join("\n\n");
}

export const atlas = [
  "# A small atlas of rivers",
  "Twenty-one rivers, each with its length, its basin and the towns it passes. Skip to whichever you like.",
  ...rivers.map(chapter),
  "---",
  `Taken together they are ${number.format(rivers.reduce((sum, [, km]) => sum + km, 0))} kilometers long, ` +
  "which is twice around the world and a little more.",
].join("\n\n");
