// Empty: tests load this plugin by its file.
