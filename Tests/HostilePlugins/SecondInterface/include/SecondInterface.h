// Nothing to include: tests load this plugin by its file.
