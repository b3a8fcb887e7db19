package io.volute.storage.log.space;

import io.volute.storage.log.file.LogWorkbench;
import io.volute.testkit.sim.SimFileSystem;

class LocalSegmentStoreTest extends SegmentStoreContract {
    private SimFileSystem files = new SimFileSystem();

    @Override
    protected SegmentStore store() {
        return new LocalSegmentStore(LogWorkbench.options(files));
    }

    @Override
    protected void kill() {
        files = files.afterPowerCut();
    }
}
