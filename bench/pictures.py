"""Pictures in SVG, where matplotlib is installed."""


def pyplot(picture):
    """matplotlib's pyplot, for SVG; without it None, and a line that says so."""
    try:
        import matplotlib
    except ImportError:
        print(f"{picture}: not drawn; matplotlib is not installed")
        return None
    matplotlib.use("svg")
    from matplotlib import pyplot as plots
    return plots


def panels(picture, drawings, xlabel, ylabel="", log=""):
    """Panels, at most three side by side. drawings: title -> {curve -> (xs, ys)}; log: which axes are logarithmic, of "xy"."""
    plots = pyplot(picture)
    if plots is None:
        return
    columns = min(len(drawings), 3)
    rows = -(-len(drawings) // columns)
    figure, axes = plots.subplots(rows, columns, figsize=(5.5 * columns, 4.5 * rows), squeeze=False)
    for axis, (title, curves) in zip(axes.flat, drawings.items()):
        for name, (xs, ys) in curves.items():
            axis.plot(xs, ys, marker="o", markersize=3, label=name)
        if "x" in log:
            axis.set_xscale("log")
        if "y" in log:
            axis.set_yscale("log")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel(xlabel)
        axis.set_ylabel(ylabel)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})
