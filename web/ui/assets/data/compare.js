/** The way from a running twin to the comparison page: the same settings under its names there. */

const [BASELINE, PUBLISHED, MINE, BESIDE] = ["d1", "d2", "d3", "d4"];
const COMMON = /^(workload|slo)\./;
const LEFT_OUT = new Set(["seed", "pace", "focus", "preset", "twin"]);

/**
 * The address that compares the panes of the lab with the published deployment and the baseline.
 * @param {string} query the address of the lab, as `writeAddress` gives it
 * @param {string} scenario of the twin
 */
export function compareAddress(query, scenario) {
  const told = new URLSearchParams(query);
  const wanted = new URLSearchParams({ [PUBLISHED]: "pdd_43a_32b", [MINE]: scenario });
  const beside = told.has("beside");
  if (beside) wanted.set(BESIDE, scenario);
  for (const [name, value] of told) {
    if (LEFT_OUT.has(name) || name === "scenario" || name === "beside") continue;
    if (name === "workload.clients") wanted.set("clients", value);
    else if (name.startsWith("beside.")) wanted.set(`${BESIDE}.${name.slice(7)}`, value);
    else if (COMMON.test(name)) wanted.set(`${BASELINE}.${name}`, value);
    else {
      wanted.set(`${MINE}.${name}`, value);
      if (beside && !told.has(`beside.${name}`)) wanted.set(`${BESIDE}.${name}`, value);
    }
  }
  return `/compare?${wanted}`;
}
