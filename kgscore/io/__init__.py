"""Records and their files: formats, columns, FHIR resources, streams, and pairs as users of Python hold them."""
