"""Everything with a clock or a wire: protocol, engines, cancellation, settings, the command line."""
