"""Steps of reading that formats and sources share: text to columns, fast paths, data frames and matrices."""
