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
