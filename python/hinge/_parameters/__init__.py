"""The parameters of estimators, generated from the tables of the library."""
