"""Input: records and their files (formats, columns, FHIR resources, streams), and pairs given from Python."""
