package io.volute.storage.index;

class MemoryIndexTest extends IndexContract {
    @Override
    IndexFactory factory() {
        return new MemoryIndexFactory();
    }
}
