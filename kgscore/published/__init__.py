"""The public benchmarks: from the download of a set to the figures as its paper reports them, one program each."""
