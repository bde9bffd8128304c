// The colours of the style sheet: as text in css, by name as red, green and blue from 0 to 1.

const COLOURS = ["paper", "soft", "stage", "body", "edge", "ground", "ground-line", "grid", "stick", "slip", "flight", "force", "flash", "path", "accent", "kinetic", "potential", "total", "friction", "impacts", "damping", "dry", "torques", "devices"];

export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = { css: {}, isDark: matchMedia("(prefers-color-scheme: dark)").matches };
  for (const name of COLOURS) {
    const text = style.getPropertyValue(`--${name}`).trim();
    colours.css[name] = text;
    colours[name] = [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);
  }
  return colours;
}
