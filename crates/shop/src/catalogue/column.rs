//! The columns of a catalogue.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Column {
    Product,
    Name,
    Category,
    Brand,
    Description,
    Aliases,
    Sku,
    Label,
    Price,
    Currency,
    Stock,
    VariantAliases,
    Active,
}

impl Column {
    pub(super) const ALL: [Self; 13] = [
        Self::Product,
        Self::Name,
        Self::Category,
        Self::Brand,
        Self::Description,
        Self::Aliases,
        Self::Sku,
        Self::Label,
        Self::Price,
        Self::Currency,
        Self::Stock,
        Self::VariantAliases,
        Self::Active,
    ];

    /// Without these there is no catalogue.
    pub(super) const REQUIRED: [Self; 6] =
        [Self::Product, Self::Name, Self::Category, Self::Sku, Self::Price, Self::Currency];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Name => "name",
            Self::Category => "category",
            Self::Brand => "brand",
            Self::Description => "description",
            Self::Aliases => "aliases",
            Self::Sku => "sku",
            Self::Label => "label",
            Self::Price => "price",
            Self::Currency => "currency",
            Self::Stock => "stock",
            Self::VariantAliases => "variant_aliases",
            Self::Active => "active",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let named = |column: &Self| column.name().eq_ignore_ascii_case(text);
        Self::ALL.into_iter().find(named)
    }

    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}
