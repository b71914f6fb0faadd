"""What the suite's Python scripts share: result CSVs, ratios and verdicts, claims, Markdown, safe file writing."""
