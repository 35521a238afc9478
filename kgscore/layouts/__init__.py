"""What people said of reports, in the layouts that published sets are downloaded in and of one's own: one reader for all."""
