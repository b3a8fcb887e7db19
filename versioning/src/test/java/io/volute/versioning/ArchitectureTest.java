package io.volute.versioning;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Think hard before changing these: they are what keeps the module apart from its neighbours. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute.versioning");

    @Test
    void onlyTheRootPackagesOfTheModulesBelowAreUsed() {
        classes()
                .that()
                .resideInAPackage("io.volute.versioning..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "org.slf4j",
                        "io.volute.storage",
                        "io.volute.provenance",
                        "io.volute.versioning..")
                .check(CLASSES);
    }

    @Test
    void rowsKnowNothingOfTheCatalog() {
        noClasses()
                .that()
                .resideInAPackage("io.volute.versioning.rows..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.volute.versioning.catalog..")
                .check(CLASSES);
    }

    @Test
    void onlyTheOpenerKnowsTheCatalog() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.volute.versioning.catalog..")
                .and()
                .doNotHaveFullyQualifiedName(ObjectStores.class.getName())
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.volute.versioning.catalog..")
                .check(CLASSES);
    }
}
