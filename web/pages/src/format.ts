// Numbers, times and sizes as texts, in the forms that the server writes into pages.

// Returns up to `digits` significant digits: 0.4313, 1,234, 1.2e-5.
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) {
    return value.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e");
  }
  return value.toLocaleString("en", { maximumSignificantDigits: size >= 1000 ? Math.floor(Math.log10(size)) + 1 : digits });
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function formatPercent(value: number, digits = 4): string {
  return `${(100 * value).toFixed(digits - 3)} %`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  for (; Math.abs(bytes) >= 1024 && unit + 1 < units.length; ++unit) bytes /= 1024;
  return `${unit === 0 || Math.abs(bytes) >= 100 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 0.00005) return "0 s";
  if (seconds < 0.00995) return `${formatNumber(Number((1000 * seconds).toFixed(1)))} ms`;
  if (seconds < 0.9995) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return twoUnits(Math.floor(whole / 60), "min", whole % 60, "s");
  if (whole < 86400) return twoUnits(Math.floor(whole / 3600), "h", Math.floor((whole % 3600) / 60), "min");
  return twoUnits(Math.floor(whole / 86400), "d", Math.floor((whole % 86400) / 3600), "h");
}

// Returns how long ago the time was, or the day and time if this was more than a day ago.
export function formatAgo(ms: number, now: number): string {
  const seconds = (now - ms) / 1000;
  if (seconds < 1.5) return "now";
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  const options: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
  return new Date(ms).toLocaleString("en-GB", options);
}
